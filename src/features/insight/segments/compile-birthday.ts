import { raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { dayNumber, dayOf } from '../../../shared/clock.ts';
import type { Setting } from './compile-sources.ts';
import type { Condition } from './definition-schema.ts';

/** 29 February counts as 28 February in other years. */
export function birthday({ op, value }: Condition, setting: Setting): { holds: Sql; actual(): Sql } {
  const actual = () => sql`to_jsonb(c.dob)`;
  const bound = Number(value);
  if (op === 'in_month') return { holds: sql`date_part('month', c.dob) = ${bound}::double precision`, actual };
  if (bound >= 366) return { holds: raw('c.dob is not null'), actual };
  const { day, today } = setting;
  return { holds: day === undefined ? inNextDays(today, bound) : isOneOf(birthdaysFrom(day, bound)), actual };
}

/** For one day, the birthdays are listed: 1 March is 301. A comparison of numbers is the fastest. */
const isOneOf = (days: number[]) =>
  sql`date_part('month', c.dob) * 100 + date_part('day', c.dob) = any(${days}::double precision[])`;

/** The birthdays from a day on, `count` days after it included, such as 301 for 1 March. */
export function birthdaysFrom(first: string, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, n) => dayOf(dayNumber(first) + n)).flatMap((day) => {
    const monthDay = Number(day.slice(5, 7)) * 100 + Number(day.slice(8));
    const isLast = monthDay === 228 && dayOf(dayNumber(day) + 1).endsWith('-03-01');
    return isLast ? [228, 229] : [monthDay];
  });
}

/** For any day. PostgreSQL moves 29 February to 28 February in other years when it adds years. */
function inNextDays(today: Sql, count: number): Sql {
  const year = (day: Sql) => sql`extract(year from ${day})::integer`;
  const isIn = (years: Sql) =>
    sql`(c.dob + make_interval(years => ${years} - ${year(sql`c.dob`)}))::date between ${today} and ${today} + ${count}::integer`;
  return sql`(${isIn(year(today))} or ${isIn(sql`${year(today)} + 1`)})`;
}
