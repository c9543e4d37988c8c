import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { sessionOf } from '../../../platform/http/session.ts';
import { Invalid } from '../../../shared/problem.ts';
import { changeUser, createUser, listUsers, removeUser, showUser } from './manage.ts';
import { ChangedUser, CreatedUser, NewUser, User } from './schema.ts';

export const userRoutes = crudRoutes(
  {
    path: '/admin/v1/users',
    id: 'user_id',
    kind: 'user',
    noun: 'user',
    plural: 'users',
    tag: 'Manage users',
    ownersOnly: 'all',
    create: NewUser,
    created: CreatedUser,
    change: ChangedUser,
    response: User,
    example: {
      create: { email: 'sam@harbour.example', password: 'correct horse battery staple', account_ids: [1] },
      created: { id: 5, email: 'sam@harbour.example', account_ids: [1] },
      change: { account_ids: [1, 2] },
      response: { id: 5, email: 'sam@harbour.example', account_ids: [1], role: 'staff' },
    },
    notes: {
      create: 'An e-mail that another user has returns 422.',
      change:
        'Fields that are not sent do not change. A new password ends the sessions of the user. The last owner cannot lose the role (422).',
      remove: 'Also deletes the personal access tokens of the user. The last owner cannot be deleted (422).',
    },
  },
  {
    create: async (tx, { input }) => {
      const { id, email, account_ids } = await createUser(tx, input);
      return { id, email, account_ids };
    },
    list: (tx, { slice }) => listUsers(tx, slice),
    show: (tx, _call, id) => showUser(tx, id),
    change: async (tx, call, id) => {
      const { current_password, ...changes } = call.input;
      const session = sessionOf(call);
      if (changes.password === undefined || session.userId !== id) return changeUser(tx, id, changes);
      if (current_password === undefined)
        throw new Invalid({
          current_password: ['The current password field is required to change your own password.'],
        });
      const known = await session.userByPassword(session.user.email, current_password);
      return changeUser(tx, id, changes, { currentHash: known?.passwordHash });
    },
    remove: (tx, _call, id) => removeUser(tx, id),
  },
);
