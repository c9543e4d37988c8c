import { Select, VisuallyHidden } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ApiError } from '../../../api/client.ts';
import { useAccount } from '../../../session/session.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { formatDays, formatMoney, withCount } from '../../../ui/format.ts';
import { Page, TextLink } from '../../../ui/Page.tsx';
import { LoadMore } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { EmptyState } from '../../../ui/States.tsx';
import { Failed } from '../Failed.tsx';
import { Filters } from '../Filters.tsx';
import classes from '../Home.module.css';
import { rangeOf } from '../range.ts';
import {
  type ActivityList,
  type ActivitySearch,
  kindWords,
  type NpsPart,
  npsParts,
  npsWords,
  type RedemptionList,
  type ShownKind,
  shownKinds,
} from './activity.ts';

const route = getRouteApi('/guard/accounts/$accountId/activity');

/** A page of either list. */
type List<Row> = Pick<RedemptionList, 'unit' | 'next'> & {
  total: number | null;
  spend?: ActivityList['spend'];
  data: Row[];
};

interface ActivityFrameProps<Row> {
  kind: ShownKind;
  search: ActivitySearch;
  list: UseInfiniteQueryResult<InfiniteData<List<Row>>, ApiError>;
  columns: Column<Row>[];
}

/** A list with its filters, its number of rows, and the way back to Home. */
export function ActivityFrame<Row extends { id: number }>({ kind, search, list, columns }: ActivityFrameProps<Row>) {
  const account = useAccount();
  const navigate = route.useNavigate();
  const range = rangeOf(search, account.time_zone);
  const show = (filters: ActivitySearch) => void navigate({ search: filters, resetScroll: false });
  // While other filters load, the rows are those before, and the words are already the new ones.
  const first = list.isPlaceholderData ? undefined : list.data?.pages[0];
  const unit = first?.unit;
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const home = { range: search.range, from: search.from, to: search.to, unit_id: search.unit_id };
  const failed = list.error && !list.data;
  return (
    <Page
      title="Activity"
      lead="What the numbers of Home count."
      breadcrumbs={[
        // Home has no page for a deleted venue.
        <TextLink
          key="home"
          to="/accounts/$accountId"
          params={{ accountId: account.id }}
          search={unit?.is_deleted ? { ...home, unit_id: undefined } : home}
        >
          Home
        </TextLink>,
      ]}
      actions={
        <Filters
          range={range}
          unitId={search.unit_id}
          deleted={unit?.is_deleted ? unit : undefined}
          show={(filters) => show({ ...filters, kind: search.kind, nps: search.nps })}
        >
          <KindFilters kind={kind} search={search} show={show} />
        </Filters>
      }
    >
      <Panel
        title={first ? titleOf(kind, search.nps, first.total ?? 0) : kindWords[kind].label}
        lead={
          failed
            ? undefined
            : [formatDays(range.from, range.to), placeOf(search, first), sumOf(first)].filter(Boolean).join(', ')
        }
        flush
      >
        {failed ? (
          <Failed error={list.error} onRetry={list.refetch} onReset={() => show({ kind: search.kind })} />
        ) : (
          <>
            <DataTable
              label={kindWords[kind].label}
              rows={rows}
              rowKey={({ id }) => id}
              columns={columns}
              stale={list.isPlaceholderData}
              empty={<EmptyState title={kindWords[kind].none}>Choose other days or another venue.</EmptyState>}
            />
            <LoadMore more={list.hasNextPage} loading={list.isFetchingNextPage} onMore={list.fetchNextPage} />
          </>
        )}
      </Panel>
      <VisuallyHidden role="status">
        {rows && rows.length > 0 && !list.isPlaceholderData && `${withCount(rows.length, 'row')} shown.`}
      </VisuallyHidden>
    </Page>
  );
}

/** "61 purchases", "3 promoters" */
function titleOf(kind: ShownKind, nps: NpsPart | undefined, total: number): string {
  return kind === 'ratings' && nps ? withCount(total, npsWords[nps].one) : kindWords[kind].count(total);
}

/** "The Anchor", or "all venues" */
function placeOf({ unit_id }: ActivitySearch, list: Pick<RedemptionList, 'unit'> | undefined): string {
  if (unit_id === undefined) return 'all venues';
  if (!list?.unit) return '';
  return list.unit.is_deleted ? `${list.unit.name} (deleted)` : list.unit.name;
}

const sumOf = (list: List<unknown> | undefined) =>
  typeof list?.spend === 'number' && `${formatMoney(list.spend)} in all`;

interface KindFiltersProps {
  kind: ShownKind;
  search: ActivitySearch;
  show: (search: ActivitySearch) => void;
}

/** Selects the kind, and the part of the ratings. */
function KindFilters({ kind, search, show }: KindFiltersProps) {
  return (
    <>
      <Select<ShownKind>
        className={classes.filter}
        aria-label="Kind"
        data={shownKinds.map((value) => ({ value, label: kindWords[value].label }))}
        value={kind}
        onChange={(chosen) => chosen && show({ ...search, kind: chosen, nps: undefined })}
        allowDeselect={false}
      />
      {kind === 'ratings' && (
        <Select<NpsPart | 'all'>
          className={classes.filter}
          aria-label="Ratings"
          data={[
            { value: 'all', label: 'All ratings' },
            ...npsParts.map((value) => ({ value, label: npsWords[value].label })),
          ]}
          value={search.nps ?? 'all'}
          onChange={(chosen) => show({ ...search, nps: chosen === 'all' || chosen === null ? undefined : chosen })}
          allowDeselect={false}
        />
      )}
    </>
  );
}
