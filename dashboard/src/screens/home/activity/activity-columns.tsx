import { Badge } from '@mantine/core';
import { useAccount } from '../../../session/session.ts';
import type { Column } from '../../../ui/DataTable.tsx';
import { TextLink } from '../../../ui/Page.tsx';
import { Money, Num, WallClock } from '../../../ui/Values.tsx';
import { bookingStatus, type EntryText, stayStatus } from '../../guests/timeline-text.ts';
import type { ActivityEntry, ActivityKind, RedemptionList } from './activity.ts';

type Entry = ActivityEntry;

/** The guest. A purchase without one leads to the reason. */
function Guest({ entry: { id, contact } }: { entry: Entry }) {
  const { id: accountId } = useAccount();
  if (!contact)
    return (
      <TextLink
        to="/accounts/$accountId/settings/waiting-purchases"
        params={{ accountId }}
        search={{ purchase_id: id }}
        c="dimmed"
      >
        No guest yet
      </TextLink>
    );
  return (
    <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: contact.id }} search={{}}>
      {contact.name ?? `Guest ${contact.id}`}
    </TextLink>
  );
}

const guest: Column<Entry> = { title: 'Guest', width: '30%', render: (entry) => <Guest entry={entry} /> };
const when = (title: string): Column<Entry> => ({ title, oneLine: true, render: ({ at }) => <WallClock at={at} /> });
const venue: Column<Entry> = { title: 'Venue', render: ({ unit }) => unit.name };
const status = (of: (entry: Entry) => EntryText['status']): Column<Entry> => ({
  title: 'Status',
  render: (entry) => {
    const shown = of(entry);
    return shown && <Badge color={shown.color}>{shown.text}</Badge>;
  },
});

/** The columns of each kind. */
export const activityColumns: Record<ActivityKind, Column<Entry>[]> = {
  purchases: [
    guest,
    when('When'),
    venue,
    { title: 'Reference', render: ({ purchase }) => purchase?.transaction_reference },
    { title: 'Total', align: 'end', render: ({ purchase }) => <Money value={purchase?.total} /> },
  ],
  bookings: [
    guest,
    when('Start'),
    venue,
    status(({ booking }) => (booking ? bookingStatus(booking.stage_value) : undefined)),
    { title: 'People', align: 'end', render: ({ booking }) => <Num value={booking?.party_size} /> },
  ],
  stays: [
    guest,
    when('Check-in'),
    { title: 'Check-out', oneLine: true, render: ({ stay }) => <WallClock at={stay?.checkout_date} dayOnly /> },
    venue,
    status(({ stay }) => (stay ? stayStatus(stay.booking_status_id) : undefined)),
    { title: 'Guests', align: 'end', render: ({ stay }) => <Num value={stay?.total_guests} /> },
  ],
  ratings: [
    guest,
    when('When'),
    venue,
    { title: 'Rating', align: 'end', render: ({ rating }) => <Num value={rating?.rating} /> },
  ],
};

type Group = RedemptionList['data'][number];

function GroupLink({ group }: { group: Group }) {
  const { id: accountId } = useAccount();
  return (
    <TextLink
      to="/accounts/$accountId/vouchers/$groupId"
      params={{ accountId, groupId: group.id }}
      search={{ show: 'redeemed' }}
    >
      {group.name}
    </TextLink>
  );
}

/** Opens the redeemed codes of the group. */
export const redemptionColumns: Column<Group>[] = [
  { title: 'Voucher group', width: '70%', render: (group) => <GroupLink group={group} /> },
  { title: 'Redeemed in these days', align: 'end', render: ({ redeemed }) => <Num value={redeemed} /> },
];
