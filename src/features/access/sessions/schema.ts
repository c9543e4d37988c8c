import Type, { type Static } from 'typebox';
import { Id, Instant } from '../../../shared/fields.ts';

/** A session ends this many days after its last use, and this many after it began. */
export const [idleDays, longestDays] = [7, 30];

export const OpenSession = Type.Object({
  id: Id('Session id'),
  created_at: Instant('When it began.'),
  last_seen_at: Instant('When it was last used, to within some minutes.'),
  address: Type.String({ description: 'Where it was begun from.', examples: ['203.0.113.7'] }),
  user_agent: Type.String({ description: 'The browser, as it calls itself.' }),
  is_current: Type.Boolean({ description: 'Whether this very request came with it.' }),
});
export type OpenSession = Static<typeof OpenSession>;
