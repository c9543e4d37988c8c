import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { DateTime, Missing, WallClock } from '../../ui/Values.tsx';
import { ConsentBadges } from './ConsentBadges.tsx';
import { formatMobile, guestName } from './guest.ts';
import classes from './guest-columns.module.css';

function Line({ children }: { children: string }) {
  return (
    <span className={classes.line} title={children}>
      {children}
    </span>
  );
}

/** The columns of a table of guests. */
export const guestColumns: Column<FoundContact>[] = [
  { title: 'Name', render: (guest) => <Line>{guestName(guest)}</Line> },
  { title: 'E-mail', render: ({ email }) => (email ? <Line>{email}</Line> : <Missing />) },
  {
    title: 'Mobile',
    render: ({ mobile_number: number }) =>
      number ? <span className={classes.number}>{formatMobile(number)}</span> : <Missing />,
  },
  { title: 'Consent', render: (guest) => <ConsentBadges of={guest} /> },
  { title: 'Last visit', render: ({ last_visit_at }) => <WallClock at={last_visit_at} dayOnly />, align: 'end' },
  {
    title: 'Since',
    render: ({ created_at }) => <DateTime at={created_at} dayOnly />,
    align: 'end',
    wideOnly: true,
  },
];
