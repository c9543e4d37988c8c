import {
  IconBed,
  IconCalendar,
  IconMessage,
  IconReceipt,
  IconTicket,
  IconWifi,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Kind } from '#service/features/insight/timeline/schema.ts';

/** The kinds of timeline entries, in the order of the filter. */
export const kinds: readonly { kind: Kind; many: string; icon: TablerIcon }[] = [
  { kind: 'purchase', many: 'Purchases', icon: IconReceipt },
  { kind: 'booking', many: 'Bookings', icon: IconCalendar },
  { kind: 'stay', many: 'Stays', icon: IconBed },
  { kind: 'wifi', many: 'Wifi', icon: IconWifi },
  { kind: 'feedback', many: 'Feedback', icon: IconMessage },
  { kind: 'unique_code', many: 'Vouchers', icon: IconTicket },
];

export const iconOf = (kind: Kind): TablerIcon => kinds.find((one) => one.kind === kind)?.icon ?? IconCalendar;
