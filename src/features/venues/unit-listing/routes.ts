import { listRoute, shareConcurrentReads } from '../../../platform/http/route.ts';
import { listUnits, listUnitsWithFolders } from './read.ts';
import { ListUnits, UnitListing } from './schema.ts';

const listing = listRoute(
  {
    method: 'GET',
    path: '/v1/account/units',
    access: 'partner',
    tag: 'Units',
    operationId: 'listUnits',
    summary: 'List units',
    description:
      'Lists the units of the account: the root unit first, then by id. Deleted units are not listed. `groups=true` adds the folders and groups.',
    input: ListUnits,
    response: UnitListing,
    example: {
      input: { groups: true },
      response: {
        id: 2,
        name: 'The Anchor',
        is_root: false,
        deleted: 'N',
        folders: [{ id: 3, name: 'default', groups: [{ id: 4, name: 'Newsletter' }] }],
      },
    },
  },
  (tx, { accountId, input, slice }) =>
    input.groups ? listUnitsWithFolders(tx, accountId, slice) : listUnits(tx, accountId, slice),
);

export const unitListingRoutes = [shareConcurrentReads(listing)];
