import { managed } from '../http/managed.ts';
import { Changes } from '../shared/fields.ts';
import { changeAccount, createAccount, listAccounts, removeAccount, showAccount } from './manage.ts';
import { Account, NewAccount } from './schema.ts';

export const accountRoutes = managed(
  {
    path: '/admin/v1/accounts',
    id: 'account_id',
    noun: 'account',
    plural: 'accounts',
    tag: 'Manage accounts',
    ownersOnly: ['create', 'remove'],
    create: NewAccount,
    change: Changes(NewAccount),
    answer: Account,
    example: {
      create: { name: 'The Harbour Group', time_zone: 'Europe/London' },
      change: { name: 'The Harbour Group' },
      answer: { id: 1, name: 'The Harbour Group', time_zone: 'Europe/London', root_unit_id: 1 },
    },
    notes: {
      create: 'Its root unit and the built-in feedback categories and booking sources are made with it.',
      remove: 'Units, tokens, guests and all they did go with it, at once and for good.',
    },
  },
  {
    create: (tx, { input }) => createAccount(tx, input),
    list: (tx, { reach, slice }) => listAccounts(tx, reach, slice),
    show: (tx, _call, id) => showAccount(tx, id),
    change: (tx, { input }, id) => changeAccount(tx, id, input),
    remove: (tx, _call, id) => removeAccount(tx, id),
  },
);
