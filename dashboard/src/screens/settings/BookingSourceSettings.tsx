import { builtInBookingSources, idsOf } from '#service/shared/codes.ts';
import { LookupList } from './LookupList.tsx';

export function BookingSourceSettings() {
  return (
    <LookupList
      title="Booking sources"
      lead="The ways to make a booking. The built-in ones are the same in every account."
      noun="booking source"
      table="booking_sources"
      empty="Add one for each way to book."
      deleteText="You can delete it only if no stay uses it. Later requests with its id are rejected."
      builtIn={idsOf(builtInBookingSources)}
    />
  );
}
