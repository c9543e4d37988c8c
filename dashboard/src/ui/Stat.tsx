import { Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import classes from './Stat.module.css';

interface StatProps {
  label: string;
  /** The formatted value. */
  value: ReactNode;
  /** A comparison or an explanation. */
  note?: ReactNode;
  loading?: boolean;
}

/** A row of figures, as a description list. */
export function Stats({ most, children }: { most?: number; children: ReactNode }) {
  return (
    <dl className={classes.stats} style={{ '--most': most } as CSSProperties}>
      {children}
    </dl>
  );
}

/** A figure with its name. */
export function Stat({ label, value, note, loading = false }: StatProps) {
  return (
    <div className={classes.stat}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd>
        {loading ? <Skeleton height="1.925rem" width="60%" /> : <span className={classes.value}>{value}</span>}
        {note && (
          <Text component="span" size="xs" c="dimmed" display="block">
            {note}
          </Text>
        )}
      </dd>
    </div>
  );
}
