import { jsonRoute, respondingRoute } from '../../../platform/http/route.ts';
import { readFeed, searchEvents, waitForEvents } from './read.ts';
import { EventLog, eventKinds, exampleOf, Feed, keptDays, ReadFeed, SearchEvents } from './schema.ts';

const example = (() => {
  const [, updated] = eventKinds;
  return exampleOf(updated?.type ?? '', updated?.example ?? {});
})();

export const eventRoutes = [
  respondingRoute(
    {
      access: 'partner',
      tag: 'Events',
      method: 'GET',
      path: '/v1/events',
      operationId: 'listEvents',
      summary: 'Read the event feed',
      description: `Every change in the account, oldest first, for ${keptDays} days. Send \`next\` as \`after\` again and again: you miss no event and get none twice. A response without events can have another \`next\`, if events of other types were skipped.`,
      input: ReadFeed,
      response: Feed,
      example: { response: { data: [example], next: example.id } },
    },
    (tx, { accountId, input }) => readFeed(tx, accountId, input),
    (feed, { accountId, input, isGone }, again) =>
      waitForEvents(
        feed,
        accountId,
        input.wait ?? 0,
        (after) => {
          input.after = after;
          return again();
        },
        isGone,
      ),
  ),
  jsonRoute(
    {
      access: 'admin',
      tag: 'Webhooks',
      method: 'GET',
      path: '/admin/v1/accounts/:account_id/events',
      operationId: 'adminListEvents',
      summary: 'Search the events of an account',
      description: `Newest first, for ${keptDays} days. A page can have fewer than 100 events and still have a \`next_before\`, if many events of other types were skipped.`,
      input: SearchEvents,
      response: EventLog,
      example: { response: { data: [example], next_before: null } },
    },
    (tx, { accountId, input }) => searchEvents(tx, accountId, input),
  ),
];
