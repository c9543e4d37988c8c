import { builtInBookingSources, idsOf } from '#service/shared/codes.ts';
import { LookupList } from './LookupList.tsx';

export function BookingSourceSettings() {
  return (
    <LookupList
      title="Booking sources"
      lead="How a booking was made. Those that are built in are the same in every account."
      noun="booking source"
      table="booking_sources"
      empty="Make one for each way to book."
      afterwards="It can only be deleted while no stay names it. Requests that still name its id are refused."
      builtIn={idsOf(builtInBookingSources)}
    />
  );
}
