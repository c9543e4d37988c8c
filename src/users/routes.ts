import { managed } from '../http/managed.ts';
import { Changes } from '../shared/fields.ts';
import { changeUser, createUser, listUsers, removeUser, showUser } from './manage.ts';
import { CreatedUser, NewUser, User } from './schema.ts';

export const userRoutes = managed(
  {
    path: '/admin/v1/users',
    id: 'user_id',
    noun: 'user',
    plural: 'users',
    tag: 'Manage users',
    ownersOnly: 'all',
    create: NewUser,
    created: CreatedUser,
    change: Changes(NewUser),
    answer: User,
    example: {
      create: { email: 'sam@harbour.example', password: 'correct horse battery staple', account_ids: [1] },
      created: { id: 5, email: 'sam@harbour.example', account_ids: [1] },
      change: { account_ids: [1, 2] },
      answer: { id: 5, email: 'sam@harbour.example', account_ids: [1], role: 'staff' },
    },
    notes: { remove: 'The user’s personal access tokens go too. The last owner can’t be deleted.' },
  },
  {
    create: async (tx, { input }) => {
      const { id, email, account_ids } = await createUser(tx, input);
      return { id, email, account_ids };
    },
    list: (tx, { slice }) => listUsers(tx, slice),
    show: (tx, _call, id) => showUser(tx, id),
    change: (tx, { input }, id) => changeUser(tx, id, input),
    remove: (tx, _call, id) => removeUser(tx, id),
  },
);
