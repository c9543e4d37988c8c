import { formatPercent } from './format.ts';
import classes from './ShareBar.module.css';
import { Missing } from './Values.tsx';

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
