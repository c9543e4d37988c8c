import type { Tx } from '../../platform/db/database.ts';
import { only, sql } from '../../platform/db/sql.ts';
import { NotReady } from '../../shared/problem.ts';
import type { Figures, UnitFigures } from './schema.ts';
import { todayOf } from './store.ts';

/** Whether the figures include the activity from before there were figures. */
export async function areFiguresFilled(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx<{ filled: boolean }>`
    select figures_filled_at is not null as filled from accounts where id = ${accountId}`;
  return only(rows).filled;
}

/** Throws until they do. */
export async function requireFigures(tx: Tx, accountId: number): Promise<void> {
  if (await areFiguresFilled(tx, accountId)) return;
  throw new NotReady(
    'The figures of earlier activity are still being counted after an upgrade. Try again in some minutes.',
  );
}

export interface KeptFigures extends Omit<Figures, 'spend' | 'average_spend' | 'by_unit'> {
  pence: number;
  purchase_days: number;
}

const survivorOf = (accountId: number, contactId: number) =>
  sql`(select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = ${contactId})`;

/** Undefined: there is no such contact. */
export async function findFigures(tx: Tx, accountId: number, contactId: number): Promise<KeptFigures | undefined> {
  const [row] = await tx<KeptFigures>`
    select coalesce(visits, 0) as visits, coalesce(pence, 0) as pence, coalesce(purchase_days, 0) as purchase_days, first_visit, last_visit,
      coalesce(purchases, 0) as purchases, coalesce(bookings, 0) as bookings, coalesce(cancelled_bookings, 0) as cancelled_bookings,
      coalesce(stays, 0) as stays, coalesce(vouchers_redeemed, 0) as vouchers_redeemed, nps::float8 as nps
    from ${survivorOf(accountId, contactId)} as survivor
    left join contact_figures f on f.account_id = ${accountId} and f.contact_id = survivor.id`;
  return row;
}

/** The units that the contact visited or bought something at, the most visited first. */
export function selectByUnit(
  tx: Tx,
  accountId: number,
  contactId: number,
): Promise<(Omit<UnitFigures, 'spend'> & { pence: number })[]> {
  return tx<Omit<UnitFigures, 'spend'> & { pence: number }>`
    select unit_id, count(*) filter (where visited and day <= today) as visits, sum(pence)::float8 as pence,
      max(day) filter (where visited and day <= today) as last_visit
    from ${survivorOf(accountId, contactId)} as survivor
    join contact_days d on d.account_id = ${accountId} and d.contact_id = survivor.id
    cross join (select ${todayOf(tx, accountId)} as today) as clock
    group by unit_id having bool_or(visited and day <= today) or bool_or(purchases > 0)
    order by visits desc, unit_id`;
}
