import { Chip, Group, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import { type TimelineKind, timelineKinds } from '#service/shared/codes.ts';
import { useAccount } from '../../session/session.ts';
import { formatMonth, formatNumber } from '../../ui/format.ts';
import { LoadMore } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../../ui/States.tsx';
import { summaryQuery, timelineQuery } from './queries.ts';
import classes from './Timeline.module.css';
import { TimelineRow } from './TimelineRow.tsx';
import { kindText } from './timeline-kinds.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests/$contactId');

/** The activity of a guest, newest first. */
export function Timeline({ id }: { id: number }) {
  const { path, time_zone } = useAccount();
  const { kind } = route.useSearch();
  const timeline = useInfiniteQuery({
    ...timelineQuery(path, id, kind),
    // Keep the rows of the previous kind until the new ones are loaded.
    placeholderData: keepPreviousData,
  });
  const entries = timeline.data?.pages.flatMap(({ data }) => data);
  return (
    <Panel title="Timeline" flush>
      <KindChips id={id} />
      {timeline.error && !entries && <ErrorState error={timeline.error} onRetry={timeline.refetch} />}
      {timeline.isPending && (
        <Stack gap="lg" p="md" aria-busy>
          <Skeleton height="2rem" width="70%" />
          <Skeleton height="2rem" width="55%" />
          <Skeleton height="2rem" width="65%" />
        </Stack>
      )}
      {entries?.length === 0 && (
        <EmptyState title={kind ? 'None of these yet' : 'Nothing yet'}>
          Purchases, bookings, stays, wifi, feedback and redeemed vouchers appear here as partners send them.
        </EmptyState>
      )}
      {entries &&
        groupByMonth(entries, time_zone).map(({ title, of }) => (
          <Fragment key={title}>
            <h3 className={classes.month}>{title}</h3>
            <ul className={classes.entries} aria-label={title}>
              {of.map((entry) => (
                <TimelineRow key={`${entry.kind} ${entry.id}`} entry={entry} />
              ))}
            </ul>
          </Fragment>
        ))}
      <LoadMore more={timeline.hasNextPage} loading={timeline.isFetchingNextPage} onMore={timeline.fetchNextPage} />
    </Panel>
  );
}

/** Filters by kind, with the number of entries of each. */
function KindChips({ id }: { id: number }) {
  const { path } = useAccount();
  const { kind } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(summaryQuery(path, id));
  const there = timelineKinds.filter((one) => one === kind || (data?.counts[one] ?? 0) > 0);
  if (data && there.length < 2 && !kind) return null;
  const count = (of: TimelineKind) => (data ? ` ${formatNumber(data.counts[of])}` : '');
  return (
    <Chip.Group
      value={kind ?? 'all'}
      onChange={(value) =>
        void navigate({
          search: value === 'all' ? {} : { kind: value as TimelineKind },
          replace: true,
          resetScroll: false,
        })
      }
    >
      <Group gap={6} className={classes.kinds} role="radiogroup" aria-label="Kinds">
        <Chip size="xs" value="all">
          All
        </Chip>
        {there.map((one) => (
          <Chip key={one} size="xs" value={one}>
            {kindText[one].many}
            {count(one)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** Groups entries by month, after the future ones. */
function groupByMonth(entries: TimelineEntry[], timeZone: string): { title: string; of: TimelineEntry[] }[] {
  const now = new Date().toLocaleString('sv-SE', { timeZone });
  const groups: { title: string; of: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const title = entry.at > now ? 'Upcoming' : formatMonth(entry.at);
    if (groups.at(-1)?.title !== title) groups.push({ title, of: [] });
    groups.at(-1)?.of.push(entry);
  }
  return groups;
}
