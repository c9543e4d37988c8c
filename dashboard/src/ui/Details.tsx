import type { ReactNode } from 'react';
import classes from './Details.module.css';

/** Names with their values. Empty values are left out. */
export function Details({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes.details}>
      {rows
        .filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
