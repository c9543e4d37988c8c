import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount } from '../../../session/session.ts';
import { ActivityFrame } from './ActivityFrame.tsx';
import { type ActivityKind, type ActivitySearch, activityQuery, redemptionsQuery } from './activity.ts';
import { activityColumns, redemptionColumns } from './activity-columns.tsx';

const route = getRouteApi('/guard/accounts/$accountId/activity');

/** The rows behind a number of Home. */
export function ActivityPage() {
  const search = route.useSearch();
  const { kind = 'purchases' } = search;
  return kind === 'redemptions' ? <Redemptions search={search} /> : <Entries kind={kind} search={search} />;
}

function Entries({ kind, search }: { kind: ActivityKind; search: ActivitySearch }) {
  const account = useAccount();
  const list = useInfiniteQuery(activityQuery(account, kind, search));
  return <ActivityFrame kind={kind} search={search} list={list} columns={activityColumns[kind]} />;
}

function Redemptions({ search }: { search: ActivitySearch }) {
  const account = useAccount();
  const list = useInfiniteQuery(redemptionsQuery(account, search));
  return <ActivityFrame kind="redemptions" search={search} list={list} columns={redemptionColumns} />;
}
