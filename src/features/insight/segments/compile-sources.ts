import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { npsCategory } from '../../../shared/codes.ts';
import type { Base } from './compile-base.ts';
import type { Condition } from './definition-schema.ts';

/** What a definition is evaluated for. */
export interface Setting {
  accountId: number;
  timeZone: string;
  /** The account's day, as a date. */
  today: Sql;
  /**
   * The same. Undefined: several days are evaluated. The figures hold the visits of the real day only, so visits are then
   * counted from the days.
   */
  day: string | undefined;
  /** Whether few contacts are evaluated. Their rows are then read contact by contact. */
  byContact: boolean;
  /** Default: contacts. */
  base?: Base;
}

/** The sums over days that a condition can need, and the rows that have anything to add. */
const sums = {
  visits: { of: (day: string) => `count(${day}) filter (where visited and is_past)`, rows: 'visited' },
  first_visit: { of: () => 'min(day) filter (where visited and is_past)', rows: 'visited' },
  last_visit: { of: () => 'max(day) filter (where visited and is_past)', rows: 'visited' },
  purchase_days: { of: (day: string) => `count(${day}) filter (where purchases > 0)`, rows: 'purchases > 0' },
  purchases: { of: () => 'sum(purchases)', rows: 'purchases > 0' },
  // A sum of bigint is numeric, which takes twice the time. Amounts are exact below 2^53.
  pence: { of: () => 'sum(pence::double precision)', rows: 'pence <> 0' },
  bookings: { of: () => 'sum(bookings + enquiries)', rows: 'bookings + enquiries > 0' },
  cancelled_bookings: { of: () => 'sum(cancelled_bookings)', rows: 'cancelled_bookings > 0' },
  stays: { of: () => 'sum(stays)', rows: 'stays > 0' },
  vouchers_redeemed: { of: () => 'sum(vouchers_redeemed)', rows: 'vouchers_redeemed > 0' },
};
export type Sum = keyof typeof sums;

/** The rows of contact_days that a condition on this field adds up. */
export function rowsOf(field: string): string {
  if (field === 'spend') return sums.pence.rows;
  if (field === 'average_spend') return sums.purchase_days.rows;
  return Object.entries(sums).find(([name]) => name === field)?.[1].rows ?? 'true';
}

type Window = Pick<Condition, 'in_last_days' | 'unit_ids'>;

interface Source {
  alias: string;
  /** The sums that conditions read. */
  sums: Set<Sum>;
  join(alias: Sql, sums: Sum[]): Sql;
}

/** The rows beside the contact that the conditions of a definition read. Each is joined once. */
export class Sources {
  readonly #setting: Setting;
  readonly #sources = new Map<string, Source>();
  #readsFigures = false;
  /** Whether several conditions read the figures, so that one join serves them all. */
  readonly sharesFigures: boolean;
  /** Whether any condition reads activity day by day. */
  readsDays = false;

  constructor(setting: Setting, sharesFigures: boolean) {
    this.#setting = setting;
    this.sharesFigures = sharesFigures;
  }

  /** A column of contact_figures. Null: the contact has had no activity. */
  figure(name: string): Sql {
    if (this.#setting.base === 'figures') return raw(`c.${name}`);
    this.#readsFigures = true;
    return raw(`f.${name}`);
  }

  /** A sum over the contact's days. Null: there are none. */
  sum(name: Sum, window: Window): Sql {
    const { accountId, byContact } = this.#setting;
    const { in_last_days, unit_ids } = window;
    this.readsDays = true;
    const source = this.#source(`days ${in_last_days} ${unit_ids}`, (alias, names) => {
      // At one unit, each row is another day.
      const day = unit_ids?.length === 1 ? '*' : 'distinct day';
      const columns = join(names.map((one) => this.#withPast(`${sums[one].of(day)} as ${one}`, window)));
      const needed = raw([...new Set(names.map((one) => sums[one].rows))].join(' or '));
      const rows = sql`contact_days where account_id = ${accountId}${this.#inWindow(window)} and (${needed})`;
      return byContact
        ? sql`left join lateral (select ${columns} from ${rows} and contact_id = c.id) as ${alias} on true`
        : sql`left join (select contact_id, ${columns} from ${rows} group by contact_id) as ${alias} on ${alias}.contact_id = c.id`;
    });
    source.sums.add(name);
    return raw(`${source.alias}.${name}`);
  }

  /** Null unless there is a row of contact_figures for which the condition holds. */
  ifFigures(holds: (figure: (name: string) => Sql) => Sql): Sql {
    const { accountId } = this.#setting;
    const key = `figures ${this.#sources.size}`;
    const source = this.#source(
      key,
      (alias) => sql`
        left join contact_figures ${alias} on ${alias}.account_id = ${accountId} and ${alias}.contact_id = c.id
          and ${holds((name) => sql`${alias}.${raw(name)}`)}`,
    );
    return raw(`${source.alias}.contact_id`);
  }

  /** The latest rating at some units, and its day. */
  nps(name: 'rating' | 'day', unitIds: number[]): Sql {
    const { accountId, byContact } = this.#setting;
    const source = this.#source(`nps ${unitIds}`, (alias) => {
      const latest = sql`
        select distinct on (1) coalesce(m.merged_into, m.id) as contact_id, r.rating_text::numeric as rating, b.created_at::date as day
        from feedback b
        join feedback_ratings r on r.account_id = ${accountId} and r.feedback_id = b.id and r.category_id = ${npsCategory}
        join contacts m on m.account_id = ${accountId} and m.id = b.contact_id
        where b.account_id = ${accountId} and b.unit_id = any(${unitIds}::bigint[])
          ${byContact ? sql`and (m.id = c.id or m.merged_into = c.id)` : sql``}
        order by 1, b.created_at desc, b.id desc, r.id desc`;
      return byContact
        ? sql`left join lateral (${latest}) as ${alias} on true`
        : sql`left join (${latest}) as ${alias} on ${alias}.contact_id = c.id`;
    });
    return raw(`${source.alias}.${name}`);
  }

  /** The value of a user-defined field. */
  udf(id: number): Sql {
    const { accountId } = this.#setting;
    const source = this.#source(
      `udf ${id}`,
      (alias) => sql`
        left join contact_udfs ${alias} on ${alias}.account_id = ${accountId} and ${alias}.contact_id = c.id and ${alias}.udf_id = ${id}`,
    );
    return raw(`${source.alias}.data`);
  }

  /** Not null if the contact has any of these units or groups. */
  link(of: 'unit' | 'group', ids: number[]): Sql {
    const { accountId, byContact } = this.#setting;
    const source = this.#source(`${of} ${ids}`, (alias) => {
      const links = sql`
        select contact_id from ${raw(`contact_${of}s`)} where account_id = ${accountId} and ${raw(`${of}_id`)} = any(${ids}::bigint[])`;
      return byContact
        ? sql`left join lateral (${links} and contact_id = c.id limit 1) as ${alias} on true`
        : sql`left join (${links} group by contact_id) as ${alias} on ${alias}.contact_id = c.id`;
    });
    return raw(`${source.alias}.contact_id`);
  }

  /** The number of joins. */
  get size(): number {
    return this.#sources.size + (this.#readsFigures ? 1 : 0);
  }

  joins(): Sql {
    const { accountId } = this.#setting;
    const figures = sql`left join contact_figures f on f.account_id = ${accountId} and f.contact_id = c.id`;
    const others = [...this.#sources.values()].map((source) => source.join(raw(source.alias), [...source.sums]));
    return join([...(this.#readsFigures ? [figures] : []), ...others, sql``], ' ');
  }

  /** Days in the future do not count until they come. A window has none. */
  #withPast(text: string, { in_last_days }: Window): Sql {
    const [before = '', after] = text.split('is_past');
    if (after === undefined) return raw(text);
    return in_last_days === undefined
      ? sql`${raw(before)}day <= ${this.#setting.today}${raw(after)}`
      : raw(`${before}true${after}`);
  }

  #inWindow({ in_last_days, unit_ids }: Window): Sql {
    const { today } = this.#setting;
    const days =
      in_last_days === undefined ? sql`` : sql` and day between ${today} - ${in_last_days}::integer and ${today}`;
    return unit_ids === undefined ? days : sql`${days} and unit_id = any(${unit_ids}::bigint[])`;
  }

  #source(key: string, make: Source['join']): Source {
    const known = this.#sources.get(key);
    if (known) return known;
    const source = { alias: `s${this.#sources.size + 1}`, sums: new Set<Sum>(), join: make };
    this.#sources.set(key, source);
    return source;
  }
}
