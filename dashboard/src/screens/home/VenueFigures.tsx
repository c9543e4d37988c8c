import { Badge, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import type { Visits } from '#service/features/insight/overview/schema.ts';
import { useAccount } from '../../session/session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatMoney, formatNumber, withCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { unitsQuery } from '../venues/units.ts';
import classes from './Home.module.css';
import { ActivityLink } from './NumberLinks.tsx';
import type { Overview } from './overview.ts';
import type { HomeSearch } from './range.ts';

type VisitKind = 'bookings' | 'stays' | 'purchases';
type Row = Visits & { unit_id: number | null; name: string };

/** The number of venues shown before "Show all". */
const shownFirst = 6;
const visitsOf = ({ purchases, bookings, stays }: Visits) => purchases + bookings + stays;

/** Visits and spend by venue, ordered by spend. */
export function VenueFigures({ overview, search }: { overview: Overview | undefined; search: HomeSearch }) {
  const account = useAccount();
  const { data: units } = useQuery(unitsQuery(account));
  const [all, showAll] = useState(false);
  const rows = overview && rowsOf(overview.visits);
  // Without any spend, the bars show visits.
  const measure = rows?.some(({ spend }) => spend > 0) ? ({ spend }: Row) => spend : visitsOf;
  const most = Math.max(...(rows ?? []).filter(({ unit_id }) => unit_id !== null).map(measure));
  /** A column of numbers. The other venues are too many for one list. */
  const number = (
    title: string,
    kind: VisitKind,
    textOf: (row: Row) => string,
    nameOf: (row: Row) => string,
  ): Column<Row> => ({
    title,
    align: 'end',
    render: (row) =>
      row.unit_id === null ? (
        textOf(row)
      ) : (
        <ActivityLink
          search={{ ...search, kind, unit_id: row.unit_id }}
          name={`${nameOf(row)} at ${row.name}, show them`}
        >
          {textOf(row)}
        </ActivityLink>
      ),
  });
  const count = (title: string, kind: VisitKind, one: string) =>
    number(
      title,
      kind,
      (row) => formatNumber(row[kind]),
      (row) => withCount(row[kind], one),
    );
  return (
    <Panel title="Visits and spend by venue" lead="A guest who booked and then paid counts in both columns." flush>
      <DataTable
        label="Visits and spend by venue"
        rows={all ? rows : rows?.slice(0, shownFirst)}
        rowKey={({ unit_id }) => unit_id ?? 'others'}
        empty={<EmptyState title="No visits at any venue in this range" />}
        columns={[
          {
            title: 'Venue',
            width: '50%',
            render: (row) => (
              <Group
                gap="xs"
                className={classes.bar}
                style={{ '--share': row.unit_id === null ? 0 : measure(row) / most } as CSSProperties}
              >
                {units?.some(({ id }) => id === row.unit_id) ? (
                  <TextLink
                    to="/accounts/$accountId"
                    params={{ accountId: account.id }}
                    search={(now) => ({ ...now, unit_id: row.unit_id ?? undefined })}
                    c="inherit"
                  >
                    {row.name}
                  </TextLink>
                ) : (
                  row.name
                )}
                {units && row.unit_id !== null && !units.some(({ id }) => id === row.unit_id) && (
                  <Badge color="gray">deleted</Badge>
                )}
              </Group>
            ),
          },
          count('Bookings', 'bookings', 'booking'),
          ...(overview && overview.visits.stays > 0 ? [count('Stays', 'stays', 'stay')] : []),
          count('Purchases', 'purchases', 'purchase'),
          number(
            'Spend',
            'purchases',
            ({ spend }) => formatMoney(spend),
            ({ spend, purchases }) => `${formatMoney(spend)} in ${withCount(purchases, 'purchase')}`,
          ),
        ]}
      />
      {rows && rows.length > shownFirst && (
        <div className={classes.more}>
          <Button variant="subtle" size="xs" aria-expanded={all} onClick={() => showAll(!all)}>
            {all ? 'Show fewer' : `Show all ${formatNumber(rows.length)}`}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function rowsOf({ by_unit, other_units }: Overview['visits']): Row[] {
  if (!other_units) return by_unit;
  return [...by_unit, { ...other_units, unit_id: null, name: withCount(other_units.units, 'other venue') }];
}
