import { batchedRead, jsonRoute } from '../../../platform/http/route.ts';
import { asSent } from '../../../shared/clock.ts';
import { Booking, BookingChanges, BookingUpdate, bookingExample, FindBooking } from './schema.ts';
import {
  changeBooking,
  changeBookingByReference,
  lookForBookings,
  wrongWithBooking,
  wrongWithUpdate,
} from './write.ts';

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
        'By the reference that it was sent with. Of several partners’ bookings with the same reference, the last that was made, unless `provider_id` says whose.',
      input: FindBooking,
      response: Booking,
      notFound: 'There is no such booking.',
      example: { input: { account_id: 1, booking_reference: 'B-1042' }, response: bookingExample },
    },
    (tx, accountId, calls) =>
      lookForBookings(
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
      summary: 'Change a booking by its reference',
      description:
        'The same as changing it by its id. The reference finds the booking as the search does: of several partners’ bookings with the same reference, the last that was made, unless `provider_id` says whose. Neither of the two is changed.',
      input: BookingUpdate,
      alsoCheck: (tx, { accountId, input }) => wrongWithUpdate(tx, accountId, input),
      response: Booking,
      contactOf,
      notFound: 'There is no such booking.',
      example: {
        input: { booking_reference: 'B-1042', table_numbers: ['12'], stage_value: 100 },
        response: { ...bookingExample, stage_value: '100' },
      },
    },
    (tx, { accountId, input, receivedAt, count }) =>
      changeBookingByReference(tx, accountId, input, asSent(receivedAt), count),
  ),
  jsonRoute(
    {
      ...partner,
      method: 'POST',
      path: '/v1/bookings/:booking_id',
      operationId: 'updateBooking',
      summary: 'Change a booking',
      description:
        'What is not sent stays. This is how a booking platform reports the table: purchases that were waiting for that become the guest’s.',
      input: BookingChanges,
      alsoCheck: (tx, { accountId, ids, input }) => wrongWithBooking(tx, accountId, ids.booking_id, input),
      response: Booking,
      contactOf,
      example: {
        input: { table_numbers: ['12'], stage_value: 100 },
        response: { ...bookingExample, stage_value: '100' },
      },
    },
    (tx, { accountId, ids, input, receivedAt, count }) =>
      changeBooking(tx, accountId, ids.booking_id, input, asSent(receivedAt), count),
  ),
];
