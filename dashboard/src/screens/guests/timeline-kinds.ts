import {
  IconBed,
  IconCalendar,
  IconMessage,
  IconReceipt,
  IconTicket,
  IconWifi,
  type TablerIcon,
} from '@tabler/icons-react';
import type { TimelineKind } from '#service/shared/codes.ts';

/** The kinds of timeline entries, in the order of the filter. */
export const kindText: Record<TimelineKind, { many: string; icon: TablerIcon }> = {
  purchase: { many: 'Purchases', icon: IconReceipt },
  booking: { many: 'Bookings', icon: IconCalendar },
  stay: { many: 'Stays', icon: IconBed },
  wifi: { many: 'Wifi', icon: IconWifi },
  feedback: { many: 'Feedback', icon: IconMessage },
  unique_code: { many: 'Vouchers', icon: IconTicket },
};
