import { bookingsSection } from '../../activity/bookings/section.ts';
import { purchasesSection } from '../../activity/purchases/section.ts';
import { staysSection } from '../../activity/stays/section.ts';
import { wifiSection } from '../../activity/wifi/section.ts';
import type { Section } from '../../identity/sections/section.ts';
import { feedbackSection } from '../feedback/section.ts';
import { notesSection } from '../notes/section.ts';
import { udfsSection } from '../udfs/section.ts';
import type { ContactState } from './contact-state.ts';
import type { ContactWrite, ListName } from './schema.ts';

type Item<Name extends ListName> = NonNullable<ContactWrite[Name]>[number];

/** The implementation of each list. A list of the schema without one does not compile. */
export const sections: { readonly [Name in ListName]: Section<Item<Name>, ContactState> } = {
  notes: notesSection,
  udfs: udfsSection,
  feedback: feedbackSection,
  purchases: purchasesSection,
  stays: staysSection,
  bookings: bookingsSection,
  wifi: wifiSection,
};

/** The order of the look-ups and of the checks. The errors that checks add are listed in it. */
export const checkOrder: readonly ListName[] = ['udfs', 'feedback', 'notes', 'purchases', 'bookings', 'wifi', 'stays'];

/**
 * The order in which rows are read and stored, and therefore locked. The contact itself is stored before them, and its
 * consent entries, merges and possible duplicates after those `withContact`.
 */
export const storeOrder = {
  withContact: ['udfs'],
  // Purchases are matched to the bookings of the batch, so they follow them.
  activity: ['feedback', 'bookings', 'stays', 'wifi', 'purchases'],
  // After every statement that may wait for a lock: notes are listed by id, in the order in which they were written.
  last: ['notes'],
} as const satisfies Record<string, readonly ListName[]>;
export type StoreStep = keyof typeof storeOrder;
