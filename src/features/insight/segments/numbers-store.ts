import type { Tx } from '../../../platform/db/database.ts';
import { join, only, raw, sql } from '../../../platform/db/sql.ts';
import { channels, consentBits } from '../../../shared/codes.ts';
import type { Counts } from './schema.ts';

/*
 * The stored numbers of segments: how many members there are, and how many of them may be contacted, now and on each day.
 */

const numbers = ['members', ...channels] as const;
export type Numbers = Record<(typeof numbers)[number], number>;

const counted = raw(
  [
    'count(*) as members',
    ...channels.map((name) => `count(*) filter (where consents & ${consentBits[name]} <> 0) as ${name}`),
  ].join(', '),
);

export const noNumbers = (): Numbers => ({ members: 0, email: 0, sms: 0, call: 0, snail_mail: 0 });

/** Adds a member with these consents, or takes one away. */
export function addMember(to: Numbers, consents: number, times: 1 | -1 = 1): void {
  to.members += times;
  for (const name of channels) if (consents & consentBits[name]) to[name] += times;
}

export const toCounts = ({ members, ...contactable }: Numbers): Counts => ({ count: members, contactable });

export interface NumberChange {
  segment_id: number;
  numbers: Numbers;
  entered: number;
  gone: number;
}

/** Adds to the numbers of segments, and stores them for the day. */
export async function addNumbers(tx: Tx, accountId: number, day: string, changes: NumberChange[]): Promise<void> {
  const lists = [
    sql`${changes.map((one) => one.segment_id)}::bigint[]`,
    ...numbers.map((name) => sql`${changes.map((one) => one.numbers[name])}::bigint[]`),
  ];
  await tx`
    update segments set ${join(numbers.map((name) => raw(`${name} = segments.${name} + added.${name}`)))}
    from unnest(${join(lists)}) as added (segment_id, ${raw(numbers.join(', '))})
    where segments.account_id = ${accountId} and segments.id = added.segment_id`;
  await storeDays(
    tx,
    accountId,
    day,
    changes.map((one) => one.segment_id),
  );
  await tx`
    update segment_days set entered = segment_days.entered + added.entered, gone = segment_days.gone + added.gone
    from unnest(${changes.map((one) => one.segment_id)}::bigint[], ${changes.map((one) => one.entered)}::bigint[],
      ${changes.map((one) => one.gone)}::bigint[]) as added (segment_id, entered, gone)
    where segment_days.account_id = ${accountId} and segment_days.segment_id = added.segment_id and segment_days.day = ${day}::date`;
}

/** Stores the numbers of segments for a day. */
async function storeDays(tx: Tx, accountId: number, day: string, segmentIds: number[]): Promise<void> {
  const columns = raw(numbers.join(', '));
  await tx`
    insert into segment_days (account_id, segment_id, day, ${columns})
    select account_id, id, ${day}::date, ${columns} from segments where account_id = ${accountId} and id = any(${segmentIds})
    on conflict (account_id, segment_id, day) do update set ${raw(numbers.map((name) => `${name} = excluded.${name}`).join(', '))}`;
}

/** Counts the members of a segment, which were stored for this day. */
export async function countMembers(tx: Tx, accountId: number, segmentId: number, day: string): Promise<void> {
  const rows = await tx<Numbers>`
    select ${counted} from segment_members where account_id = ${accountId} and segment_id = ${segmentId}`;
  const totals = only(rows);
  await tx`
    update segments set evaluated_day = ${day}::date, ${join(numbers.map((name) => sql`${raw(name)} = ${totals[name]}`))}
    where account_id = ${accountId} and id = ${segmentId}`;
  await storeDays(tx, accountId, day, [segmentId]);
}

/** The stored numbers of segments without these contacts, for those whose members are right on this day. */
export async function selectNumbers(
  tx: Tx,
  accountId: number,
  segmentIds: number[],
  day: string,
  without: number[],
): Promise<Map<number, Numbers>> {
  const rows = await tx<Numbers & { id: number }>`
    select s.id, ${raw(numbers.map((name) => `s.${name} - waiting.${name} as ${name}`).join(', '))}
    from segments s cross join lateral (
      select ${counted} from segment_members m
      where m.account_id = ${accountId} and m.segment_id = s.id and m.contact_id = any(${without}::bigint[])) as waiting
    where s.account_id = ${accountId} and s.id = any(${segmentIds}) and s.evaluated_day = ${day}::date`;
  return new Map(rows.map(({ id, ...kept }) => [id, kept]));
}

/** The numbers on days from this one on, and those on the last day before it. */
export function selectDays(
  tx: Tx,
  accountId: number,
  segmentId: number,
  from: string,
): Promise<(Numbers & { day: string; entered: number; gone: number })[]> {
  const days = sql`
    select day, entered, gone, ${raw(numbers.join(', '))} from segment_days where account_id = ${accountId} and segment_id = ${segmentId}`;
  return tx<Numbers & { day: string; entered: number; gone: number }>`
    (${days} and day < ${from}::date order by day desc limit 1) union all (${days} and day >= ${from}::date order by day)`;
}
