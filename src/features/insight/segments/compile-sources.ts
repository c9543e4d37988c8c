import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { npsCategory } from '../../../shared/codes.ts';
import type { Condition } from './definition-schema.ts';

/** What a definition is evaluated for. */
export interface Setting {
  accountId: number;
  timeZone: string;
  /** The account's day, as a date. */
  today: Sql;
  /**
   * Whether single contacts are evaluated, at several days. The figures hold the visits of the real day only, so visits
   * are then counted from the days, contact by contact.
   */
  byContact: boolean;
}

/** The sums over days that a condition can need, by name. `distinct` counts days with several units once. */
const sums = {
  visits: (day: Sql, isPast: Sql) => sql`count(${day}) filter (where visited and ${isPast})`,
  first_visit: (_: Sql, isPast: Sql) => sql`min(day) filter (where visited and ${isPast})`,
  last_visit: (_: Sql, isPast: Sql) => sql`max(day) filter (where visited and ${isPast})`,
  purchase_days: (day: Sql) => sql`count(${day}) filter (where purchases > 0)`,
  purchases: () => sql`sum(purchases)`,
  pence: () => sql`sum(pence)`,
  bookings: () => sql`sum(bookings + enquiries)`,
  cancelled_bookings: () => sql`sum(cancelled_bookings)`,
  stays: () => sql`sum(stays)`,
  vouchers_redeemed: () => sql`sum(vouchers_redeemed)`,
};
export type Sum = keyof typeof sums;

type Window = Pick<Condition, 'in_last_days' | 'unit_ids'>;

/** A join, without its alias. */
interface Source {
  alias: string;
  /** The columns that conditions read. */
  columns: Map<string, Sql>;
  join(alias: Sql, columns: Sql): Sql;
}

/** The rows beside the contact that the conditions of a definition read. Each is joined once. */
export class Sources {
  readonly #setting: Setting;
  readonly #sources = new Map<string, Source>();
  #readsFigures = false;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** A column of contact_figures. Null: the contact has had no activity. */
  figure(name: string): Sql {
    this.#readsFigures = true;
    return raw(`f.${name}`);
  }

  /** A sum over the contact's days. Null: there are none. */
  sum(name: Sum, window: Window): Sql {
    const { accountId, today, byContact } = this.#setting;
    const { in_last_days, unit_ids } = window;
    const isPast = in_last_days === undefined ? sql`day <= ${today}` : raw('true');
    // At one unit, each row is another day.
    const day = unit_ids?.length === 1 ? raw('*') : raw('distinct day');
    const source = this.#source(`days ${in_last_days} ${unit_ids}`, (alias, columns) => {
      const rows = sql`contact_days where account_id = ${accountId}${this.#inWindow(sql`day`, window)}`;
      return byContact
        ? sql`left join lateral (select ${columns} from ${rows} and contact_id = c.id) as ${alias} on true`
        : sql`left join (select contact_id, ${columns} from ${rows} group by contact_id) as ${alias} on ${alias}.contact_id = c.id`;
    });
    return this.#column(source, name, sums[name](day, isPast));
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
    const { accountId } = this.#setting;
    const source = this.#source(
      `${of} ${ids}`,
      (alias) => sql`
        left join (
          select contact_id from ${raw(`contact_${of}s`)} where account_id = ${accountId} and ${raw(`${of}_id`)} = any(${ids}::bigint[])
          group by contact_id) as ${alias} on ${alias}.contact_id = c.id`,
    );
    return raw(`${source.alias}.contact_id`);
  }

  joins(): Sql {
    const { accountId } = this.#setting;
    const figures = sql`left join contact_figures f on f.account_id = ${accountId} and f.contact_id = c.id`;
    const others = [...this.#sources.values()].map(({ alias, columns, join: joined }) => {
      const named = [...columns].map(([name, column]) => sql`${column} as ${raw(name)}`);
      return joined(raw(alias), named.length > 0 ? join(named) : sql``);
    });
    return join([...(this.#readsFigures ? [figures] : []), ...others, sql``], ' ');
  }

  #inWindow(day: Sql, { in_last_days, unit_ids }: Window): Sql {
    const { today } = this.#setting;
    const days =
      in_last_days === undefined ? sql`` : sql` and ${day} between ${today} - ${in_last_days}::integer and ${today}`;
    return unit_ids === undefined ? days : sql`${days} and unit_id = any(${unit_ids}::bigint[])`;
  }

  #source(key: string, make: Source['join']): Source {
    const known = this.#sources.get(key);
    if (known) return known;
    const source = { alias: `s${this.#sources.size + 1}`, columns: new Map<string, Sql>(), join: make };
    this.#sources.set(key, source);
    return source;
  }

  #column(source: Source, name: string, column: Sql): Sql {
    source.columns.set(name, column);
    return raw(`${source.alias}.${name}`);
  }
}
