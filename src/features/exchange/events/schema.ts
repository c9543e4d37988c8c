import Type, { type Static } from 'typebox';
import type { EventKind } from '../../../shared/event-kind.ts';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';
import { pascal } from '../../../shared/phrases.ts';
import { bookingRecorded } from '../../activity/bookings/event-schema.ts';
import { purchaseRecorded } from '../../activity/purchases/event-schema.ts';
import { stayRecorded } from '../../activity/stays/event-schema.ts';
import {
  consentChanged,
  contactCreated,
  contactErased,
  contactMerged,
  contactUnmerged,
  contactUpdated,
} from '../../guests/contacts/event-schema.ts';
import { feedbackReceived } from '../../guests/feedback/event-schema.ts';
import { noteAdded } from '../../guests/notes/event-schema.ts';
import { purchaseMatched } from '../../identity/matching/event-schema.ts';
import { segmentEntered, segmentLeft } from '../../insight/segments/event-schema.ts';
import { voucherAssigned, voucherRedeemed } from '../../vouchers/event-schema.ts';
import { importFinished } from '../imports/event-schema.ts';

/** All types of events, in the order of the reference. */
export const eventKinds: readonly Omit<EventKind<ReturnType<typeof Type.Object>>, 'of'>[] = [
  ...[contactCreated, contactUpdated, contactMerged, contactUnmerged, contactErased, consentChanged, noteAdded],
  ...[feedbackReceived, purchaseRecorded, purchaseMatched, bookingRecorded, stayRecorded],
  ...[voucherAssigned, voucherRedeemed, segmentEntered, segmentLeft, importFinished],
];
export const eventTypes: readonly string[] = eventKinds.map(({ type }) => type);

export const keptDays = 30;
export const mostEvents = 1000;
/** The longest wait for an event, in seconds. */
export const longestWait = 20;

const eventId = 'evt_00000001000000000a1f0001';
export const EventId = (description: string) => Type.String({ description, examples: [eventId] });
export const EventType = Type.Enum(eventTypes as [string, ...string[]], { description: 'The type of the event.' });

const envelope = {
  id: EventId('The id. The ids of an account sort in the order of the feed.'),
  type: Type.String({ description: 'The type.', examples: ['contact.updated'] }),
  timestamp: Instant('The time of the change.'),
  account_id: Id('The account.'),
};

export const Event = Type.Object(
  {
    ...envelope,
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What changed. Each type has its own fields. If a contact that it was about was erased since, there are only `contact_id` and `removed`.',
    }),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

const ErasedData = Type.Object(
  {
    contact_id: Type.Optional(Id('The contact.')),
    removed: Type.Literal(true, { description: 'The data was removed.' }),
  },
  { title: 'ErasedEventData', description: 'What is left of the data after a contact was erased.' },
);

/** An event of one type, for the reference of webhooks. */
export const eventOf = ({ type, description, data, example }: (typeof eventKinds)[number]) => ({
  type,
  description,
  schema: Type.Object(
    { ...envelope, type: Type.Literal(type, { description: 'The type.' }), data: Type.Union([data, ErasedData]) },
    { title: `${pascal(type.replaceAll('.', '_'))}Event`, description },
  ),
  example: exampleOf(type, example),
});

export function exampleOf(type: string, data: object): Event {
  return {
    id: eventId,
    type,
    timestamp: '2026-03-01T12:30:00.000Z',
    account_id: 1,
    data: data as Event['data'],
  };
}

const types = Type.Optional(
  Type.Array(EventType, { description: 'Only events of these types.', examples: [['contact.updated']] }),
);

export const ReadFeed = Type.Object({
  after: Type.Optional(EventId('Only events after this one: `next` of the response before.')),
  types,
  limit: Type.Optional(
    Type.Integer({ description: 'The most events to return. The default is 100.', minimum: 1, maximum: mostEvents }),
  ),
  wait: Type.Optional(
    Type.Integer({
      description: 'If there is no event, wait for one, for at most this number of seconds.',
      minimum: 0,
      maximum: longestWait,
      examples: [20],
    }),
  ),
});
export type ReadFeed = Static<typeof ReadFeed>;

export const Feed = Type.Object(
  {
    data: Type.Array(Event, { description: 'The events, oldest first.' }),
    next: EventId('The value of `after` for the next request.'),
  },
  { title: 'EventFeed' },
);
export type Feed = Static<typeof Feed>;

export const SearchEvents = Type.Object({
  types,
  contact_id: Type.Optional(Id('Only events about this contact.')),
  before: Type.Optional(EventId('Only events before this one: `next_before` of the response before.')),
  after: Type.Optional(EventId('Only events after this one, for a list that is kept current.')),
});
export type SearchEvents = Static<typeof SearchEvents>;

export const EventLog = Type.Object(
  {
    data: Type.Array(Event, { description: 'The events, newest first, at most 100.' }),
    next_before: Nullable(EventId('The value of `before` for the next request. Null if there are no more.')),
  },
  { title: 'EventLog' },
);
export type EventLog = Static<typeof EventLog>;
