import Type, { type Static } from 'typebox';
import { Account } from '../accounts/schema.ts';
import { Id, Instant, Nullable } from '../shared/fields.ts';
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

/** A session ends this many days after its last use, and this many after it began. */
export const [idleDays, longestDays] = [7, 30];

/** More accounts than that are not offered at a glance. */
export const mostAccounts = 1000;

export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254, examples: ['sam@harbour.example'] }),
  password: password('The user’s own.'),
});

export const Session = Type.Object({
  user: Type.Object({ id, email, role }),
  accounts: Type.Array(Account, { description: `Those that the user may access; the first ${mostAccounts} by name.` }),
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

export const OpenSession = Type.Object({
  id: Id('Session id'),
  created_at: Instant('When it began.'),
  last_seen_at: Instant('When it was last used, to within some minutes.'),
  address: Type.String({ description: 'Where it was begun from.', examples: ['203.0.113.7'] }),
  user_agent: Type.String({ description: 'The browser, as it calls itself.' }),
  is_current: Type.Boolean({ description: 'Whether this very request came with it.' }),
});
export type OpenSession = Static<typeof OpenSession>;
