import { Select, Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { VenueSelect } from '../venues/VenueSelect.tsx';
import classes from './Home.module.css';
import { type HomeSearch, type Range, type RangeName, rangeNames, ranges } from './range.ts';

const CustomRange = lazy(() => import('./CustomRange.tsx'));

const choices = [
  ...rangeNames.map((value) => ({ value: value as RangeName | 'custom', label: ranges[value].label as string })),
  { value: 'custom' as const, label: 'Custom' },
];

interface FiltersProps {
  range: Range;
  unitId: number | undefined;
  /** The chosen venue, if it is deleted. */
  deleted?: { id: number; name: string } | undefined;
  /** Stores the filters in the URL. */
  show: (search: HomeSearch) => void;
  /** More filters. */
  children?: ReactNode;
}

/** The range and venue filters. */
export function Filters({ range, unitId, deleted, show, children }: FiltersProps) {
  const days = { from: range.from, to: range.to };
  /** The range in the URL. The default range is left out. */
  const now = range.name === 'custom' ? days : range.name === '30d' ? {} : { range: range.name };
  function choose(name: RangeName | 'custom' | null) {
    if (name === 'custom') show({ ...days, unit_id: unitId });
    else if (name) show({ ...(name === '30d' ? {} : { range: name }), unit_id: unitId });
  }
  return (
    <search className={classes.filters} aria-label="Filters">
      {children}
      <VenueSelect
        className={classes.filter}
        value={unitId}
        deleted={deleted}
        onChange={(unit_id) => show({ ...now, unit_id })}
      />
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
