import { Page } from '../ui/Page.tsx';

export function BookingSourceSettings() {
  return <Page title="Booking sources">{null}</Page>;
}
