/** What staff read for a type of event. */
interface EventWords {
  name: string;
  description: string;
}

/** The types of events by group, in staff's words. test/dashboard/event-types.test.ts compares them with the service. */
const words: Record<string, Record<string, EventWords>> = {
  Guests: {
    'contact.created': { name: 'Guest created', description: 'A new guest is stored.' },
    'contact.updated': { name: 'Guest changed', description: 'Details, venues or groups of a guest change.' },
    'contact.merged': { name: 'Guests merged', description: 'Two guests are one person and become one.' },
    'contact.unmerged': { name: 'Merge undone', description: 'A merged guest is separate again.' },
    'contact.erased': {
      name: 'Guest erased',
      description: 'A guest is deleted with all data. The other system must delete its copy.',
    },
    'consent.changed': { name: 'Consent changed', description: 'A guest gives or withdraws a consent.' },
    'note.added': { name: 'Note added', description: 'Somebody writes a note about a guest.' },
  },
  Activity: {
    'feedback.received': { name: 'Feedback received', description: 'A guest rates a visit or comments on it.' },
    'purchase.recorded': { name: 'Purchase recorded', description: 'A till sends a bill, or changes one.' },
    'purchase.matched': { name: 'Purchase matched', description: 'A bill without a guest is linked to its guest.' },
    'booking.recorded': { name: 'Booking recorded', description: 'A booking is made or changed.' },
    'stay.recorded': { name: 'Stay recorded', description: 'A stay is stored or changed.' },
  },
  Vouchers: {
    'voucher.assigned': { name: 'Voucher assigned', description: 'A guest gets a voucher code.' },
    'voucher.redeemed': { name: 'Voucher redeemed', description: 'A voucher code is used at a venue.' },
  },
  Segments: {
    'segment.entered': { name: 'Segment entered', description: 'A guest starts to fit a segment.' },
    'segment.left': { name: 'Segment left', description: 'A guest no longer fits a segment.' },
  },
  Imports: {
    'import.finished': { name: 'Import finished', description: 'An import of a file ends.' },
  },
};

export interface EventTypeGroup {
  name: string;
  types: readonly (EventWords & { type: string })[];
}

export const eventGroups: readonly EventTypeGroup[] = Object.entries(words).map(([name, types]) => ({
  name,
  types: Object.entries(types).map(([type, of]) => ({ type, ...of })),
}));

const names = new Map(eventGroups.flatMap(({ types }) => types.map(({ type, name }) => [type, name])));
names.set('webhook.test', 'Test event');

export const knownTypes: readonly string[] = eventGroups.flatMap(({ types }) => types.map(({ type }) => type));

/** The type in words. A type that this version does not know is shown as it is. */
export const eventName = (type: string): string => names.get(type) ?? type;
