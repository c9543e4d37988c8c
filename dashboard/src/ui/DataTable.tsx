import { Skeleton, VisuallyHidden } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import classes from './DataTable.module.css';
import { ErrorState } from './States.tsx';

export interface Column<Row> {
  title: string;
  render: (row: Row) => ReactNode;
  /** Numbers stand at the end. */
  align?: 'end';
  /** A CSS width; otherwise what it needs. */
  width?: string;
  /** Not broken into lines: codes, days. */
  oneLine?: boolean;
  /** On a phone each row is a card: this one is not on it. */
  wideOnly?: boolean;
  /** Buttons: without a visible title, and at the end. */
  isActions?: boolean;
}

interface DataTableProps<Row> {
  /** What it lists, for those who can't see what stands around it. */
  label: string;
  /** The first is the row's name: what the link is called, and the card's title. */
  columns: Column<Row>[];
  /** Undefined while nothing is known yet. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string | number;
  /** Where a row leads. All of it can be clicked; the link itself is in the first column. */
  rowLink?: (row: Row) => LinkProps;
  /** Shown in place of a table without rows. */
  empty: ReactNode;
  error?: Error | null;
  onRetry?: () => unknown;
  /** What is shown is still the answer to an earlier question. */
  stale?: boolean;
}

const skeletons = [0, 1, 2, 3, 4, 5];

/** A list of things. Arrow keys walk through its links. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowLink, empty, error, onRetry, stale = false } = props;
  if (error && !rows) return <ErrorState error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return empty;
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label={label} aria-busy={!rows || stale} onKeyDown={walk}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                data-align={column.align}
                data-wide-only={column.wideOnly}
                style={{ width: column.width }}
              >
                {column.isActions ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => (
                <tr key={rowKey(row)} data-link={rowLink !== undefined || undefined}>
                  {columns.map((column, index) => {
                    const content = column.render(row);
                    return (
                      <td
                        key={column.title}
                        data-title={index > 0 && !column.isActions ? column.title : undefined}
                        data-align={column.align}
                        data-actions={column.isActions}
                        data-one-line={column.oneLine}
                        data-wide-only={column.wideOnly}
                      >
                        {index === 0 && rowLink ? <Link {...rowLink(row)}>{content}</Link> : content}
                      </td>
                    );
                  })}
                </tr>
              ))
            : skeletons.map((key) => (
                <tr key={key}>
                  {columns.map((column) => (
                    <td key={column.title} data-wide-only={column.wideOnly}>
                      <Skeleton height="0.75rem" my="0.25rem" width={column.isActions ? '2rem' : '70%'} />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

function walk(event: KeyboardEvent<HTMLTableElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody td:first-child a')];
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (!links.includes(document.activeElement as HTMLElement) || !next) return;
  event.preventDefault();
  next.focus();
}
