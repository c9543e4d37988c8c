import Type, { type Static } from 'typebox';
import { Id } from '../../../shared/fields.ts';
import { roles } from '../../../shared/roles.ts';

const email = Type.String({
  description: 'The e-mail of the user. It is unique and stored in lower case.',
  format: 'email',
  maxLength: 254,
  examples: ['sam@harbour.example'],
});
const accountIds = Type.Array(Id('The id of an account.'), {
  description: 'The accounts that the user can access. An owner can access all accounts.',
  maxItems: 10_000,
  examples: [[1]],
});
const role = Type.Enum(roles, {
  description:
    '`owner`: everything, in every account. `staff`: everything in their accounts, except tokens, users, e-mail domains, the audit trail, and creating or deleting accounts. `viewer`: reads what staff can read. The default is `staff`.',
  examples: ['staff'],
});
const password = Type.String({
  description:
    'At least 8 characters. Not one of the most common passwords, and not the e-mail. Stored as a memory-hard hash.',
  format: 'password',
  minLength: 8,
  maxLength: 1024,
  examples: ['correct horse battery staple'],
});

const id = Id('The id of the user.');

export const User = Type.Object({ id, email, account_ids: accountIds, role }, { title: 'User' });
export type User = Static<typeof User>;

/** What creating one answers. */
export const CreatedUser = Type.Object({ id, email, account_ids: accountIds }, { title: 'CreatedUser' });

export const NewUser = Type.Object(
  { email, password, account_ids: accountIds, role: Type.Optional(role) },
  { title: 'UserCreate' },
);
export type NewUser = Static<typeof NewUser>;

export const ChangedUser = Type.Object(
  {
    ...Type.Partial(NewUser).properties,
    current_password: Type.Optional(
      Type.String({
        description: 'The current password. Required if users change their own password.',
        format: 'password',
        maxLength: 1024,
        examples: ['correct horse battery staple'],
      }),
    ),
  },
  { title: 'UserUpdate' },
);
