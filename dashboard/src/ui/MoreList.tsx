import { Button, Skeleton, Stack } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Paged } from '#service/shared/fields.ts';
import { formatNumber } from './format.ts';
import classes from './MoreList.module.css';
import { LoadMore } from './Pager.tsx';
import { ErrorState } from './States.tsx';

interface MoreListProps<T> {
  label: string;
  /** `useInfiniteQuery(getPages<T>(…))`. */
  of: UseInfiniteQueryResult<InfiniteData<Paged<T>>>;
  /** The number of rows before "Show all". */
  first: number;
  rowKey: (row: T) => number;
  render: (row: T) => ReactNode;
  /** Shown if there are no rows. */
  empty: ReactNode;
}

/** A list that first shows a few rows, and all of them on request. */
export function MoreList<T>({ label, of, first, rowKey, render, empty }: MoreListProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const rows = of.data?.pages.flatMap(({ data }) => data);
  if (of.error && !rows) return <ErrorState error={of.error} onRetry={of.refetch} />;
  if (!rows)
    return (
      <Stack gap="xs" p="md" aria-busy>
        <Skeleton height="0.75rem" width="80%" />
        <Skeleton height="0.75rem" width="60%" />
      </Stack>
    );
  if (rows.length === 0) return empty;
  const total = of.data?.pages[0]?.total ?? rows.length;
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {(isOpen ? rows : rows.slice(0, first)).map((row) => (
          <li key={rowKey(row)}>{render(row)}</li>
        ))}
      </ul>
      {!isOpen && total > first && (
        <div className={classes.more}>
          <Button variant="subtle" size="xs" onClick={() => setOpen(true)}>
            Show all {formatNumber(total)}
          </Button>
        </div>
      )}
      {isOpen && <LoadMore more={of.hasNextPage} loading={of.isFetchingNextPage} onMore={of.fetchNextPage} />}
    </>
  );
}
