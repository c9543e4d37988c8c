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

/** What a guest may do, in the order in which it is offered. */
export const kinds: readonly { kind: Kind; many: string; icon: TablerIcon }[] = [
  { kind: 'purchase', many: 'Purchases', icon: IconReceipt },
  { kind: 'booking', many: 'Bookings', icon: IconCalendar },
  { kind: 'stay', many: 'Stays', icon: IconBed },
  { kind: 'wifi', many: 'Wifi', icon: IconWifi },
  { kind: 'feedback', many: 'Feedback', icon: IconMessage },
  { kind: 'unique_code', many: 'Vouchers', icon: IconTicket },
];

export const iconOf = (kind: Kind): TablerIcon => kinds.find((one) => one.kind === kind)?.icon ?? IconCalendar;
