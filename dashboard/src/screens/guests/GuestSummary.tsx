import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../session/session.ts';
import { Stat, Stats } from '../../ui/Stat.tsx';
import { Money, Num, WallClock } from '../../ui/Values.tsx';
import { summaryQuery } from './queries.ts';

/** The main figures of a guest. */
export function GuestSummary({ id }: { id: number }) {
  const { path } = useAccount();
  const { data, isPending } = useQuery(summaryQuery(path, id));
  return (
    <Stats>
      <Stat label="Last visit" value={<WallClock at={data?.last_visit_at} dayOnly />} loading={isPending} />
      <Stat label="Spent" value={<Money value={data?.spend} />} loading={isPending} />
      <Stat label="Purchases" value={<Num value={data?.counts.purchase} />} loading={isPending} />
      <Stat label="Bookings" value={<Num value={data?.counts.booking} />} loading={isPending} />
      <Stat label="Stays" value={<Num value={data?.counts.stay} />} loading={isPending} />
    </Stats>
  );
}
