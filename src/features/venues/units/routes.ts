import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { changeUnit, createUnit, listUnits, removeUnit, showUnit } from './manage.ts';
import { NewUnit, Unit } from './schema.ts';

const example = { id: 2, name: 'The Anchor', is_root: false };

export const unitRoutes = crudRoutes(
  {
    path: '/admin/v1/accounts/:account_id/units',
    id: 'unit_id',
    kind: 'unit',
    noun: 'unit',
    plural: 'units',
    tag: 'Manage units',
    create: NewUnit,
    change: NewUnit,
    response: Unit,
    example: { create: { name: 'The Anchor' }, change: { name: 'The Anchor' }, response: example },
    notes: {
      create: 'Two units can have the same name.',
      list: 'The root unit comes first, then by id. Deleted units are not listed.',
      remove: 'The unit is no longer listed or accepted. Its activity is kept. The root unit cannot be deleted (422).',
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
