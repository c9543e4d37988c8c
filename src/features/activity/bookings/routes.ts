import { batchedRead, jsonRoute } from '../../../platform/http/route.ts';
import { formatUtc } from '../../../shared/clock.ts';
import { Booking, BookingChanges, BookingUpdate, bookingExample, FindBooking } from './schema.ts';
import { bookingErrors, changeBooking, changeBookingByReference, searchBookings, updateErrors } from './write.ts';

const contactOf = ({ contact_id }: Booking) => (contact_id === '' ? null : Number(contact_id));
const partner = { access: 'partner', tag: 'Bookings' } as const;

export const bookingRoutes = [
  batchedRead(
    {
      ...partner,
      method: 'GET',
      path: '/v1/bookings',
      account: 'required',
      operationId: 'findBooking',
      summary: 'Find a booking',
      description:
        'Finds a booking by its reference. If several providers have the same reference, the booking created last is returned, unless `provider_id` is sent. Returns 404 if there is none.',
      input: FindBooking,
      response: Booking,
      notFound: 'There is no such booking.',
      example: { input: { account_id: 1, booking_reference: 'B-1042' }, response: bookingExample },
    },
    (tx, accountId, calls) =>
      searchBookings(
        tx,
        accountId,
        calls.map(({ input }) => input),
      ),
  ),
  jsonRoute(
    {
      ...partner,
      method: 'POST',
      path: '/v1/bookings',
      operationId: 'updateBookingByReference',
      summary: 'Change a booking by reference',
      description:
        'Finds the booking like the booking search and changes it like `updateBooking`. The reference and the provider do not change. An unknown reference returns 404; no booking is created.',
      input: BookingUpdate,
      alsoCheck: (tx, { accountId, input }) => updateErrors(tx, accountId, input),
      response: Booking,
      contactOf,
      notFound: 'There is no such booking.',
      example: {
        input: { booking_reference: 'B-1042', table_numbers: ['12'], stage_value: 100 },
        response: { ...bookingExample, stage_value: '100' },
      },
    },
    (tx, { accountId, input, receivedAt, count }) =>
      changeBookingByReference(tx, accountId, input, formatUtc(receivedAt), count),
  ),
  jsonRoute(
    {
      ...partner,
      method: 'POST',
      path: '/v1/bookings/:booking_id',
      operationId: 'updateBooking',
      summary: 'Change a booking',
      description:
        'Fields that are not sent do not change. Use it to report the seated table: waiting purchases of that table are matched in the same transaction. Returns 404 if there is no such booking.',
      input: BookingChanges,
      alsoCheck: (tx, { accountId, ids, input }) => bookingErrors(tx, accountId, ids.booking_id, input),
      response: Booking,
      contactOf,
      example: {
        input: { table_numbers: ['12'], stage_value: 100 },
        response: { ...bookingExample, stage_value: '100' },
      },
    },
    (tx, { accountId, ids, input, receivedAt, count }) =>
      changeBooking(tx, accountId, ids.booking_id, input, formatUtc(receivedAt), count),
  ),
];
