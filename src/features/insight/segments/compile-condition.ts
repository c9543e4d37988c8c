import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { formats } from '../../../shared/formats.ts';
import { birthday } from './compile-birthday.ts';
import type { Setting, Sources, Sum } from './compile-sources.ts';
import {
  type Condition,
  type FigureField,
  fieldOf,
  figureFields,
  udfIdOf,
  type VisitDate,
  visitDates,
} from './definition-schema.ts';

/** A condition that is true, or false or null; and the contact's value as JSON. */
interface ConditionSql {
  holds: Sql;
  actual(): Sql;
}

const [always, never] = [raw('true'), raw('false')];

export function holdsSql(condition: Condition, sources: Sources, setting: Setting): ConditionSql {
  const { field } = condition;
  switch (fieldOf(field)?.kind) {
    case 'text':
      return text(condition, raw(`c.${field}`));
    case 'flag':
      return {
        holds: condition.value === true ? raw(`c.${field}`) : raw(`not c.${field}`),
        actual: () => sql`to_jsonb(${raw(`c.${field}`)})`,
      };
    case 'ids':
      return ids(condition, sources, setting);
    case 'figure':
      return figure(condition, figureNamed(field), sources, setting);
    case 'nps':
      return nps(condition, sources, setting);
    case 'birthday':
      return birthday(condition, setting);
    case 'udf': {
      const data = sources.udf(udfIdOf(field) ?? 0);
      // Dates are stored as yyyy-mm-dd, so they compare as text.
      return isDateOp(condition)
        ? date(condition, sql`${data} collate "C"`, setting, (day) => sql`(${day})::text`)
        : text(condition, data);
    }
    case 'date':
      return dateField(condition, sources, setting);
    default:
      throw new Error(`A stored definition has the unknown field ${field}.`);
  }
}

const figureNamed = (name: string): FigureField => figureFields.find((one) => one === name) ?? 'visits';
const isDateOp = ({ op }: Condition) =>
  op === 'in_last_days' || op === 'not_in_last_days' || op === 'before' || op === 'after';

/** Case does not matter. An unknown value is null, or blank. */
function text({ field, op, value }: Condition, column: Sql): ConditionSql {
  const wanted = field === 'mobile_number' ? storedMobile(String(value)) : String(value);
  const holds = () => {
    switch (op) {
      case 'is':
        return sql`lower(${column}) = lower(${wanted})`;
      case 'is_not':
        return sql`lower(${column}) is distinct from lower(${wanted})`;
      case 'starts_with':
        return sql`starts_with(lower(${column}), lower(${wanted}))`;
      // Blank is a value of gender.
      case 'known':
        return field === 'gender' ? sql`${column} is not null` : sql`${column} <> ''`;
      default:
        return field === 'gender' ? sql`${column} is null` : sql`coalesce(${column}, '') = ''`;
    }
  };
  return { holds: holds(), actual: () => sql`to_jsonb(${column})` };
}

/** A mobile number, or its start, as it is stored: 447…. */
function storedMobile(sent: string): string {
  const whole = formats.mobile?.read(sent);
  return (
    whole ??
    sent
      .replace(/[\s().-]/g, '')
      .replace(/^(\+|00)/, '')
      .replace(/^0/, '44')
  );
}

function ids({ field, op, value }: Condition, sources: Sources, { accountId }: Setting): ConditionSql {
  const wanted = Array.isArray(value) ? value : [];
  if (field === 'source') {
    const isOne = sql`c.source_id = any(${wanted}::bigint[])`;
    return {
      holds: op === 'in' ? isOne : sql`(${isOne}) is not true`,
      actual: () => sql`to_jsonb(c.source_id)`,
    };
  }
  const of = field === 'unit' ? 'unit' : 'group';
  return {
    holds: sql`${sources.link(of, wanted)} ${op === 'in' ? raw('is not null') : raw('is null')}`,
    actual: () => sql`(
      select coalesce(jsonb_agg(${raw(`${of}_id`)} order by ${raw(`${of}_id`)}), '[]') from ${raw(`contact_${of}s`)}
      where account_id = ${accountId} and contact_id = c.id)`,
  };
}

interface Range {
  low: number | undefined;
  high: number | undefined;
}

function rangeOf({ op, value }: Condition): Range {
  if (Array.isArray(value)) return { low: value[0], high: value[1] };
  const bound = Number(value);
  return op === 'at_least' ? { low: bound, high: undefined } : { low: undefined, high: bound };
}

/**
 * Whether a sum is in a range. A missing row counts as 0. Where 0 is outside, the row must exist, and PostgreSQL turns the
 * outer join into an inner one.
 */
function within(sum: Sql, { low, high }: Range): Sql {
  const hasZero = (low ?? 0) <= 0 && (high ?? 0) >= 0;
  const value = hasZero ? sql`coalesce(${sum}, 0)` : sum;
  const parts = [
    ...(low === undefined ? [] : [sql`${value} >= ${Math.ceil(low)}::bigint`]),
    ...(high === undefined ? [] : [sql`${value} <= ${Math.floor(high)}::bigint`]),
  ];
  return parts.length === 0 ? always : sql`(${join(parts, ' and ')})`;
}

/** Pounds in pence, without the rounding errors of a multiplication. */
function toPence(pounds: number): number {
  const written = String(pounds);
  return written.includes('e') ? pounds * 100 : Number(`${written}e2`);
}

const optional = (value: number | undefined, change: (value: number) => number) =>
  value === undefined ? undefined : change(value);

/** contact_figures has the latest visits up to this number. */
const recentVisits = 50;

function figure(condition: Condition, field: FigureField, sources: Sources, { today, day }: Setting): ConditionSql {
  const hasFigures = day !== undefined;
  const range = rangeOf(condition);
  const { in_last_days: days, unit_ids } = condition;
  const isWhole = days === undefined && unit_ids === undefined;
  const sum = (name: Sum) => {
    // Only visits depend on the day.
    if (isWhole && (hasFigures || name !== 'visits')) return sources.figure(name);
    return sources.sum(name, condition);
  };
  if (field === 'average_spend') return average(range, sum);
  if (field === 'spend') {
    const inPence = { low: optional(range.low, toPence), high: optional(range.high, toPence) };
    return {
      holds: within(sum('pence'), inPence),
      actual: () => sql`to_jsonb(round((coalesce(${sum('pence')}, 0) / 100.0)::numeric, 2))`,
    };
  }
  const isRecent = field === 'visits' && days !== undefined && unit_ids === undefined && hasFigures;
  const recent = isRecent ? recentRange(range, sources, sql`${today} - ${days}::integer`) : undefined;
  const mayBeNone = hasFigures && isWhole && range.low === undefined && (range.high ?? 0) >= 0;
  return {
    holds: recent ?? (mayBeNone ? atMost(field, range.high ?? 0, sources) : within(sum(field), range)),
    actual: () => sql`to_jsonb(coalesce(${sum(field)}, 0))`,
  };
}

/** The visit that must be recent, and the one that must not, by their places in the latest visits. 0 or undefined: there is none. */
interface Places {
  least: number;
  beyond: number | undefined;
}

/** Undefined: there are too few latest visits. */
function placesOf({ low, high }: Range): Places | undefined {
  const least = Math.max(0, Math.ceil(low ?? 0));
  const beyond = high === undefined ? undefined : Math.floor(high) + 1;
  return least > recentVisits || (beyond ?? 0) > recentVisits ? undefined : { least, beyond };
}

/** The places in the latest visits that decide a condition on visits. Undefined: there are too few latest visits. */
export function recentPlaces(condition: Condition): number[] | undefined {
  const places = placesOf(rangeOf(condition));
  return places && [places.least, places.beyond ?? 0].filter((place) => place > 0);
}

/** "At least 3 visits since a day" is that the third latest visit was on that day or later. Undefined: there are too few latest visits. */
function recentRange(range: Range, sources: Sources, since: Sql): Sql | undefined {
  const places = placesOf(range);
  if (!places) return undefined;
  const { least, beyond } = places;
  if (beyond !== undefined && beyond < 1) return never;
  // The first two comparisons are cheap and exclude most rows, so that few lists are read.
  const hasVisits = (count: number) => (figure: FigureColumn) =>
    count === 1
      ? sql`${figure('last_visit')} >= ${since}`
      : sql`(${figure('last_visit')} >= ${since} and ${figure('visits')} >= ${raw(String(count))} and ${figure('recent_visits')}[${raw(String(count))}] >= ${since})`;
  const parts = [
    ...(least > 0 ? [hasVisits(least)((name) => sources.figure(name))] : []),
    ...(beyond === undefined ? [] : [isNone(hasVisits(beyond), least > 0, sources)]),
  ];
  return parts.length === 0 ? always : sql`(${join(parts, ' and ')})`;
}

type FigureColumn = (name: string) => Sql;

/**
 * The opposite of a condition on the figures, also true of a contact without figures. PostgreSQL finds those without a
 * matching row faster than it joins all figures, unless they are joined already.
 */
function isNone(holds: (figure: FigureColumn) => Sql, isJoined: boolean, sources: Sources): Sql {
  return isJoined || sources.sharesFigures
    ? sql`(${holds((name) => sources.figure(name))}) is not true`
    : sql`${sources.ifFigures(holds)} is null`;
}

/** No more than a number of something, of all time. */
function atMost(field: Sum, high: number, sources: Sources): Sql {
  return isNone((figure) => sql`${figure(field)} > ${Math.floor(high)}::bigint`, false, sources);
}

/** Per day with a purchase. Without purchases it is unknown, and no comparison holds. */
function average({ low, high }: Range, sum: (name: Sum) => Sql): ConditionSql {
  const [pence, days] = [sum('pence'), sum('purchase_days')];
  const bound = (pounds: number) => {
    const inPence = toPence(pounds);
    // Whole numbers are several times faster. The product with any number of days fits into 64 bits.
    return Number.isInteger(inPence) && Math.abs(inPence) <= 1e12
      ? sql`${inPence}::bigint * ${days}`
      : sql`${String(pounds)}::numeric * 100 * ${days}`;
  };
  return {
    holds: sql`(${join(
      [
        sql`${days} > 0`,
        ...(low === undefined ? [] : [sql`${pence} >= ${bound(low)}`]),
        ...(high === undefined ? [] : [sql`${pence} <= ${bound(high)}`]),
      ],
      ' and ',
    )})`,
    actual: () => sql`to_jsonb(round((${pence} / 100.0 / nullif(${days}, 0))::numeric, 2))`,
  };
}

function nps(condition: Condition, sources: Sources, { today }: Setting): ConditionSql {
  const { op, in_last_days, unit_ids } = condition;
  const [rating, day] = unit_ids
    ? [sources.nps('rating', unit_ids), sources.nps('day', unit_ids)]
    : [sources.figure('nps'), sources.figure('nps_day')];
  const isRecent =
    in_last_days === undefined ? always : sql`${day} between ${today} - ${in_last_days}::integer and ${today}`;
  const holds = () => {
    if (op === 'known') return sql`(${rating} is not null and ${isRecent})`;
    if (op === 'unknown') return sql`(${rating} is not null and ${isRecent}) is not true`;
    const { low, high } = rangeOf(condition);
    return sql`(${join(
      [
        isRecent,
        ...(low === undefined ? [] : [sql`${rating} >= ${String(low)}::numeric`]),
        ...(high === undefined ? [] : [sql`${rating} <= ${String(high)}::numeric`]),
      ],
      ' and ',
    )})`;
  };
  return { holds: holds(), actual: () => sql`to_jsonb(case when ${isRecent} then ${rating} end)` };
}

function dateField(condition: Condition, sources: Sources, setting: Setting): ConditionSql {
  const { field, unit_ids } = condition;
  if (field === 'created_at') return createdAt(condition, setting);
  if (field === 'dob') return date(condition, sql`c.dob`, setting);
  const name: VisitDate = visitDates.find((one) => one === field) ?? 'last_visit';
  const isFigure = unit_ids === undefined && setting.day !== undefined;
  return date(
    condition,
    isFigure ? sources.figure(name) : sources.sum(name, { ...(unit_ids && { unit_ids }) }),
    setting,
  );
}

const asIs = (day: Sql) => day;

function date({ op, value }: Condition, column: Sql, { today }: Setting, convert = asIs): ConditionSql {
  const start = () => sql`${today} - ${Number(value)}::integer`;
  const given = () => convert(sql`${String(value)}::date`);
  const holds = () => {
    switch (op) {
      case 'in_last_days':
        return sql`${column} between ${convert(start())} and ${convert(today)}`;
      case 'not_in_last_days':
        return sql`${column} < ${convert(start())}`;
      case 'before':
        return sql`${column} < ${given()}`;
      case 'after':
        return sql`${column} > ${given()}`;
      case 'known':
        return sql`${column} is not null`;
      default:
        return sql`${column} is null`;
    }
  };
  return { holds: holds(), actual: () => sql`to_jsonb(${column})` };
}

/** An instant. The bounds are converted instead of the column, so that an index can serve the range. */
function createdAt({ op, value }: Condition, { today, timeZone }: Setting): ConditionSql {
  const startOf = (day: Sql) => sql`((${day})::timestamp at time zone ${timeZone})`;
  const start = () => startOf(sql`${today} - ${Number(value)}::integer`);
  const given = sql`${String(value)}::date`;
  const holds = () => {
    switch (op) {
      case 'in_last_days':
        return sql`(c.created_at >= ${start()} and c.created_at < ${startOf(sql`${today} + 1`)})`;
      case 'not_in_last_days':
        return sql`c.created_at < ${start()}`;
      case 'before':
        return sql`c.created_at < ${startOf(given)}`;
      case 'after':
        return sql`c.created_at >= ${startOf(sql`${given} + 1`)}`;
      // Every contact has one.
      case 'known':
        return always;
      default:
        return never;
    }
  };
  return { holds: holds(), actual: () => sql`to_jsonb((c.created_at at time zone ${timeZone})::date)` };
}
