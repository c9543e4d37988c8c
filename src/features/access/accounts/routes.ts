import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { Changes } from '../../../shared/fields.ts';
import { removeAccount } from './delete.ts';
import { changeAccount, createAccount, listAccounts, showAccount } from './manage.ts';
import { Account, NewAccount } from './schema.ts';

export const accountRoutes = crudRoutes(
  {
    path: '/admin/v1/accounts',
    id: 'account_id',
    kind: 'account',
    noun: 'account',
    plural: 'accounts',
    tag: 'Manage accounts',
    ownersOnly: ['create', 'remove'],
    create: NewAccount,
    change: Changes(NewAccount, 'AccountUpdate'),
    response: Account,
    example: {
      create: { name: 'The Harbour Group', time_zone: 'Europe/London' },
      change: { name: 'The Harbour Group' },
      response: { id: 1, name: 'The Harbour Group', time_zone: 'Europe/London', root_unit_id: 1 },
    },
    notes: {
      create: 'Also creates the root unit and the built-in feedback categories and booking sources.',
      list: 'Sorted by id. A user who is not an owner sees only their own accounts.',
      change: 'Fields that are not sent do not change.',
      remove:
        'Permanent. The account, its tokens and its data are inaccessible at once. A background job then deletes the data in small batches.',
    },
  },
  {
    create: (tx, { input }) => createAccount(tx, input),
    list: (tx, { accountIds, slice }) => listAccounts(tx, accountIds, slice),
    show: (tx, _call, id) => showAccount(tx, id),
    change: (tx, { input }, id) => changeAccount(tx, id, input),
    remove: (tx, _call, id) => removeAccount(tx, id),
  },
);
