import { Link } from '@tanstack/react-router';
import type { Waiting } from '#service/features/activity/purchases/schema.ts';
import { type MatchKey, matchKeys } from '#service/shared/codes.ts';
import { formatNumber } from '../../ui/format.ts';
import { matchKeyText } from './match-keys.ts';
import classes from './WaitingFilter.module.css';

interface WaitingFilterProps {
  counts: Waiting | undefined;
  chosen: MatchKey | undefined;
  unitId: number | undefined;
}

/** The number of waiting purchases per key, as filters. A purchase with several keys counts for each. */
export function WaitingFilter({ counts, chosen, unitId }: WaitingFilterProps) {
  const entries = [
    { key: undefined, name: 'All', count: counts?.waiting },
    ...matchKeys.map((key) => ({ key, name: matchKeyText[key].name, count: counts?.waiting_for[key] })),
  ];
  return (
    <nav aria-label="Filter by key" className={classes.filter}>
      <ul>
        {entries.map(({ key, name, count }) => (
          <li key={name}>
            <Link
              to="."
              search={{ key, unit_id: unitId }}
              resetScroll={false}
              className={classes.entry}
              activeOptions={{ exact: true }}
              activeProps={{}}
              aria-current={key === chosen ? 'true' : undefined}
            >
              {name} <span className={classes.count}>{count === undefined ? '' : formatNumber(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
