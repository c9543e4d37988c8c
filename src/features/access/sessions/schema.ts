import Type, { type Static } from 'typebox';
import { Id, Instant } from '../../../shared/fields.ts';

/** A session ends this many days after its last use, and this many after it began. */
export const [idleDays, longestDays] = [7, 30];

export const OpenSession = Type.Object(
  {
    id: Id('The id of the session.'),
    created_at: Instant('The time of the sign-in.'),
    last_seen_at: Instant('The time of the last use, accurate to a few minutes.'),
    address: Type.String({ description: 'The client address of the sign-in.', examples: ['203.0.113.7'] }),
    user_agent: Type.String({ description: 'The `User-Agent` of the browser.' }),
    is_current: Type.Boolean({ description: 'True for the session of this request.' }),
  },
  { title: 'OpenSession' },
);
export type OpenSession = Static<typeof OpenSession>;
