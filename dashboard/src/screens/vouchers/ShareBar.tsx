import { formatPercent } from '../../ui/format.ts';
import { Missing } from '../../ui/Values.tsx';
import classes from './ShareBar.module.css';

/** A small bar with a percentage. */
export function ShareBar({ part, of }: { part: number; of: number }) {
  if (of === 0) return <Missing />;
  return (
    <span className={classes.share}>
      <span className={classes.track} aria-hidden>
        <span className={classes.part} style={{ width: `${(part / of) * 100}%` }} />
      </span>
      <span className={classes.number}>{formatPercent(part / of)}</span>
    </span>
  );
}
