import { Skeleton, VisuallyHidden } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import classes from './DataTable.module.css';
import { ErrorState } from './States.tsx';

export interface Column<Row> {
  title: string;
  render: (row: Row) => ReactNode;
  /** Aligns numbers to the end. */
  align?: 'end';
  /** A CSS width. Default: the width of the content. */
  width?: string;
  /** Does not wrap, for codes and dates. */
  oneLine?: boolean;
  /** Hidden on phones, where each row is a card. */
  wideOnly?: boolean;
  /** A column of buttons, at the end and without a visible title. */
  isActions?: boolean;
}

interface DataTableProps<Row> {
  /** The accessible name of the table. */
  label: string;
  /** The first column is the row's name: the text of the link and the title of the card. */
  columns: Column<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string | number;
  /** The target of a row. The whole row can be clicked; the link is in the first column. */
  rowLink?: (row: Row) => LinkProps;
  /** Shown if there are no rows. */
  empty: ReactNode;
  error?: Error | null;
  onRetry?: () => unknown;
  /** Whether the rows belong to the previous query. */
  stale?: boolean;
}

const skeletons = [0, 1, 2, 3, 4, 5];

/** A table. Arrow keys move through its links. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowLink, empty, error, onRetry, stale = false } = props;
  if (error && !rows) return <ErrorState error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return empty;
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label={label} aria-busy={!rows || stale} onKeyDown={moveFocus}>
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

function moveFocus(event: KeyboardEvent<HTMLTableElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody td:first-child a')];
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (!links.includes(document.activeElement as HTMLElement) || !next) return;
  event.preventDefault();
  next.focus();
}
