import Type, { type Static } from 'typebox';
import { Changes, Id } from '../../../shared/fields.ts';
import { roles } from '../../../shared/roles.ts';

const email = Type.String({
  description: 'Unique; kept in lower case.',
  format: 'email',
  maxLength: 254,
  examples: ['sam@harbour.example'],
});
const accountIds = Type.Array(Id('Account id'), {
  description: 'The accounts that the user may access.',
  maxItems: 10_000,
  examples: [[1]],
});
const role = Type.Enum(roles, {
  description:
    '`owner`: everything, in every account. `staff`: everything in their accounts but tokens, users and the audit trail. `viewer`: reading what staff can.',
  examples: ['staff'],
});
const password = Type.String({
  description:
    'At least 8 characters, not one of the most common passwords, and not the e-mail. Stored as a memory-hard hash.',
  format: 'password',
  minLength: 8,
  maxLength: 1024,
  examples: ['correct horse battery staple'],
});

export const User = Type.Object({ id: Id('User id'), email, account_ids: accountIds, role });
export type User = Static<typeof User>;

/** The response to a new user. */
export const CreatedUser = Type.Object({ id: Id('User id'), email, account_ids: accountIds });

export const NewUser = Type.Object({ email, password, account_ids: accountIds, role: Type.Optional(role) });
export type NewUser = Static<typeof NewUser>;

export const ChangedUser = Type.Object({
  ...Changes(NewUser).properties,
  current_password: Type.Optional(
    Type.String({
      description: 'Required when users change their own password.',
      format: 'password',
      maxLength: 1024,
      examples: ['correct horse battery staple'],
    }),
  ),
});
