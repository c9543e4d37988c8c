import Type, { type Static } from 'typebox';
import { Id, Instant, Name, Nullable } from '../../../shared/fields.ts';

const name = Name('What the token is for.', 'Till at The Anchor');

export const Token = Type.Object({
  id: Id('Token id'),
  name,
  user_id: Nullable(Id('The user whose accounts it may access; null: this account alone.')),
  created_by: Type.String({ description: 'Who created it.' }),
  created_at: Instant('When it was created.'),
  expires_at: Nullable(Instant('From when it is refused.')),
  last_used_at: Nullable(Instant('Its last request, to within a few seconds.')),
  revoked_at: Nullable(Instant('When it was revoked.')),
});
export type Token = Static<typeof Token>;

export const NewToken = Type.Object({
  name,
  user_id: Type.Optional(
    Id('A user with access to this account: the token may then access all of the user’s accounts.'),
  ),
  expires_at: Type.Optional(
    Type.String({
      description:
        'From when it is refused: yyyy-mm-dd hh:mm:ss in the account’s time zone, or ISO 8601 with an offset.',
      format: 'date-time',
      examples: ['2027-01-01 00:00:00'],
    }),
  ),
});
export type NewToken = Static<typeof NewToken>;

export const RenamedToken = Type.Object({ name });

export const CreatedToken = Type.Object({
  id: Id('Token id'),
  name,
  token: Type.String({ description: 'The token itself, shown this once.' }),
});
export type CreatedToken = Static<typeof CreatedToken>;

export const tokenPrefix = 'regulars_pat_';
