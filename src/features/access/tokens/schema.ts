import Type, { type Static } from 'typebox';
import { Id, Instant, Name, Nullable, WallClock } from '../../../shared/fields.ts';

const name = Name('The name of the token, for example the system that uses it.', 'Till at The Anchor');

export const Token = Type.Object(
  {
    id: Id('The id of the token.'),
    name,
    user_id: Nullable(Id('The user whose accounts the token can access. Null if it can access only this account.')),
    created_by: Type.String({ description: 'The creator, as text.' }),
    created_at: Instant('The time of creation.'),
    expires_at: Nullable(Instant('The time from which the token is rejected.')),
    last_used_at: Nullable(Instant('The time of the last request, accurate to a few seconds.')),
    revoked_at: Nullable(Instant('The time of the revocation.')),
  },
  { title: 'Token' },
);
export type Token = Static<typeof Token>;

export const NewToken = Type.Object(
  {
    name,
    user_id: Type.Optional(Id('A user with access to this account. The token can access all accounts of the user.')),
    expires_at: Type.Optional(WallClock('The time from which the token is rejected. It never expires by default.')),
  },
  { title: 'TokenCreate' },
);
export type NewToken = Static<typeof NewToken>;

export const RenamedToken = Type.Object({ name }, { title: 'TokenUpdate' });

export const CreatedToken = Type.Object(
  { id: Id('The id of the token.'), name, token: Type.String({ description: 'The token. It is shown only here.' }) },
  { title: 'CreatedToken' },
);
export type CreatedToken = Static<typeof CreatedToken>;

export const tokenPrefix = 'regulars_pat_';
