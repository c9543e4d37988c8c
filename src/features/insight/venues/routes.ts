import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { folderEffects, groupEffects, listVenues, unitEffects } from './read.ts';
import { FolderEffects, GroupEffects, ListVenues, UnitEffects, Venue } from './schema.ts';

const account = '/admin/v1/accounts/:account_id';
const staff = { method: 'GET', access: 'admin', input: NoFields } as const;
const [ofUnits, ofGroups] = ['Manage units', 'Manage folders and groups'];

export const venueRoutes = [
  listRoute(
    {
      ...staff,
      input: ListVenues,
      path: `${account}/venues`,
      tag: ofUnits,
      operationId: 'adminListVenues',
      summary: 'List units with folders and groups',
      description:
        'Lists the units with their folders and groups, and the number of contacts of each. The root unit comes first, then by id. Merged contacts are not counted.',
      response: Venue,
      example: {
        input: { search: 'loyal' },
        response: {
          id: 2,
          name: 'The Anchor',
          is_root: false,
          guests: 640,
          folders: [{ id: 3, name: 'Loyalty', groups: [{ id: 4, name: 'Newsletter', guests: 310 }] }],
        },
      },
    },
    (tx, { accountId, input, slice }) => listVenues(tx, accountId, input.search, slice),
  ),
  jsonRoute(
    {
      ...staff,
      path: `${account}/units/:unit_id/effects`,
      tag: ofUnits,
      operationId: 'adminGetUnitEffects',
      summary: 'Show what deleting a unit affects',
      description:
        'Returns what a deletion of the unit would affect. Nothing is deleted. Activity at a deleted unit is kept.',
      response: UnitEffects,
      example: {
        response: {
          refused: null,
          ...{ guests: 640, folders: 1, groups: 1, bookings: 210, purchases: 1822, stays: 0, wifi: 93, feedback: 31 },
          ...{ unique_code_groups: 0, unique_codes_redeemed: 12 },
        },
      },
    },
    (tx, { accountId, ids }) => unitEffects(tx, accountId, ids.unit_id),
  ),
  jsonRoute(
    {
      ...staff,
      path: `${account}/folders/:folder_id/effects`,
      tag: ofGroups,
      operationId: 'adminGetFolderEffects',
      summary: 'Show what deleting a folder affects',
      description: 'Returns what a deletion of the folder would affect. Nothing is deleted.',
      response: FolderEffects,
      example: {
        response: { refused: 'The folder still has groups in it. Delete those first.', groups: 1, guests: 310 },
      },
    },
    (tx, { accountId, ids }) => folderEffects(tx, accountId, ids.folder_id),
  ),
  jsonRoute(
    {
      ...staff,
      path: `${account}/groups/:group_id/effects`,
      tag: ofGroups,
      operationId: 'adminGetGroupEffects',
      summary: 'Show what deleting a group affects',
      description: 'Returns what a deletion of the group would affect. Nothing is deleted.',
      response: GroupEffects,
      example: { response: { refused: null, guests: 310 } },
    },
    (tx, { accountId, ids }) => groupEffects(tx, accountId, ids.group_id),
  ),
];
