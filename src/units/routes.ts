import { managed } from '../http/managed.ts';
import { lists, shared } from '../http/operation.ts';
import { changeUnit, createUnit, listUnits, listUnitsWithFolders, removeUnit, showUnit } from './manage.ts';
import { ListUnits, NewUnit, Unit, UnitListing } from './schema.ts';

const example = { id: 2, name: 'The Anchor', is_root: false };

const listing = lists(
  {
    method: 'GET',
    path: '/v1/account/units',
    access: 'partner',
    tag: 'Units',
    summary: 'List units',
    description:
      'The units of the account, the root unit first, then by id. Deleted units are not listed. With `groups=true` each has `deleted` and `folders` too.',
    input: ListUnits,
    answer: UnitListing,
    example: {
      input: { groups: true },
      answer: {
        ...example,
        deleted: 'N',
        folders: [{ id: 3, name: 'default', groups: [{ id: 4, name: 'Newsletter' }] }],
      },
    },
  },
  (tx, { accountId, input, slice }) =>
    input.groups ? listUnitsWithFolders(tx, accountId, slice) : listUnits(tx, accountId, slice),
);

const management = managed(
  {
    path: '/admin/v1/accounts/:account_id/units',
    id: 'unit_id',
    noun: 'unit',
    plural: 'units',
    tag: 'Manage units',
    create: NewUnit,
    change: NewUnit,
    answer: Unit,
    example: { create: { name: 'The Anchor' }, change: { name: 'The Anchor' }, answer: example },
    notes: {
      remove:
        'It is no longer listed or accepted; what happened there stays known. The root unit can’t be deleted (422).',
    },
  },
  {
    create: (tx, { accountId, input }) => createUnit(tx, accountId, input.name),
    list: (tx, { accountId, slice }) => listUnits(tx, accountId, slice),
    show: (tx, { accountId }, id) => showUnit(tx, accountId, id),
    change: (tx, { accountId, input }, id) => changeUnit(tx, accountId, id, input.name),
    remove: (tx, { accountId }, id) => removeUnit(tx, accountId, id),
  },
);

export const unitRoutes = [shared(listing), ...management];
