import { Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import classes from './Stat.module.css';

interface StatProps {
  label: string;
  /** As it is shown: formatted. */
  value: ReactNode;
  /** What it is measured against, or how it came about. */
  note?: ReactNode;
  loading?: boolean;
}

/** Figures in a row, at most so many; each is a term with its value. */
export function Stats({ most, children }: { most?: number; children: ReactNode }) {
  return (
    <dl className={classes.stats} style={{ '--most': most } as CSSProperties}>
      {children}
    </dl>
  );
}

/** One figure with its name. */
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
