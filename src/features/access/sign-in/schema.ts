import Type, { type Static } from 'typebox';
import { Instant, Nullable } from '../../../shared/fields.ts';
import { Account } from '../accounts/schema.ts';
import { idleDays, longestDays } from '../sessions/schema.ts';
import { User } from '../users/schema.ts';

const { email, role, id } = User.properties;
const password = (description: string) =>
  Type.String({
    description,
    format: 'password',
    minLength: 1,
    maxLength: 1024,
    examples: ['correct horse battery staple'],
  });

/** The most accounts in the session response. */
export const maxAccounts = 1000;

export const SignIn = Type.Object(
  {
    email: Type.String({ description: 'The e-mail of the user.', maxLength: 254, examples: ['sam@harbour.example'] }),
    password: password('The password of the user.'),
  },
  { title: 'SignIn' },
);

export const Session = Type.Object(
  {
    user: Type.Object({ id, email, role }, { title: 'SessionUser', description: 'The signed-in user.' }),
    accounts: Type.Array(Account, {
      description: `The accounts that the user can access, sorted by name, at most ${maxAccounts}.`,
    }),
    expires_at: Nullable(
      Instant(
        `The time at which an unused session ends: ${idleDays} days after its last use, at most ${longestDays} days after the sign-in. Null if the request has an e-mail and a password instead of a session.`,
      ),
    ),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const NewPassword = Type.Object(
  {
    current_password: password('The current password.'),
    new_password: Type.String({
      description: 'At least 8 characters. Not one of the most common passwords, and not the e-mail.',
      format: 'password',
      minLength: 8,
      maxLength: 1024,
      examples: ['an even better one'],
    }),
  },
  { title: 'PasswordChange' },
);
