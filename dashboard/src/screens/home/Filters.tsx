import { Select, Skeleton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useAccount } from '../../session/session.ts';
import { VenueSelect } from '../venues/VenueSelect.tsx';
import classes from './Home.module.css';
import { type HomeSearch, type Range, type RangeName, rangeNames, ranges } from './range.ts';

const CustomRange = lazy(() => import('./CustomRange.tsx'));

const choices = [
  ...rangeNames.map((value) => ({ value: value as RangeName | 'custom', label: ranges[value].label as string })),
  { value: 'custom' as const, label: 'Custom' },
];

/** The range and venue filters. Both are stored in the URL. */
export function Filters({ range, unitId }: { range: Range; unitId: number | undefined }) {
  const { id } = useAccount();
  const navigate = useNavigate();
  const show = (search: HomeSearch) =>
    void navigate({ to: '/accounts/$accountId', params: { accountId: id }, search, resetScroll: false });
  const days = { from: range.from, to: range.to };
  /** The range in the URL. The default range is left out. */
  const now = range.name === 'custom' ? days : range.name === '30d' ? {} : { range: range.name };
  function choose(name: RangeName | 'custom' | null) {
    if (name === 'custom') show({ ...days, unit_id: unitId });
    else if (name) show({ ...(name === '30d' ? {} : { range: name }), unit_id: unitId });
  }
  return (
    <search className={classes.filters} aria-label="Filters">
      <VenueSelect className={classes.filter} value={unitId} onChange={(unit_id) => show({ ...now, unit_id })} />
      <Select<RangeName | 'custom'>
        className={classes.filter}
        aria-label="Range"
        data={choices}
        value={range.name}
        onChange={choose}
        allowDeselect={false}
        maxDropdownHeight={400}
      />
      {range.name === 'custom' && (
        <Suspense fallback={<Skeleton height="2.125rem" className={classes.filter} data-wide />}>
          <CustomRange {...days} onChange={(from, to) => show({ from, to, unit_id: unitId })} />
        </Suspense>
      )}
    </search>
  );
}
