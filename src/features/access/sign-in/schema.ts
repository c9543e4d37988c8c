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

export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254, examples: ['sam@harbour.example'] }),
  password: password('The user’s own.'),
});

export const Session = Type.Object({
  user: Type.Object({ id, email, role }),
  accounts: Type.Array(Account, { description: `Those that the user may access; the first ${maxAccounts} by name.` }),
  expires_at: Nullable(
    Instant(
      `When it ends unless it is used: ${idleDays} days after its last use, and at most ${longestDays} days after it began. Null: e-mail and password came along instead.`,
    ),
  ),
});
export type Session = Static<typeof Session>;

export const NewPassword = Type.Object({
  current_password: password('The one until now.'),
  new_password: Type.String({
    description: 'At least 8 characters, not one of the most common passwords, and not the e-mail.',
    format: 'password',
    minLength: 8,
    maxLength: 1024,
    examples: ['an even better one'],
  }),
});
