import type { Group } from '../load/guests.ts';
import type { Ask } from '../load/load.ts';
import { asSuperuser, type Service } from '../load/service.ts';

/** The accounts of a measurement. Requests are spread over all of them. */
export interface Stage {
  service: Service;
  groups: Group[];
}

/** A row: one kind of request. */
export interface Row {
  key: string;
  name: string;
  begin(stage: Stage): Promise<Begun>;
}

export interface Begun {
  ask: Ask;
  /** The same work by PostgreSQL alone, in the first account. */
  limit?: Script;
  /** Throws if the stored rows do not match the number of responses. */
  stored?(answered: number): Promise<void>;
}

export interface Script {
  /** A name such as `the same transaction`. */
  what: string;
  /** A pgbench script, one statement per line. `:name` is a variable. `app.account_id` is already set. */
  script: string;
  variables: Record<string, number | string>;
}

/** The account of the nth request, and its number within the account. */
export function turnOf({ groups }: Stage, n: number): { group: Group; k: number } {
  return { group: groups[n % groups.length] as Group, k: Math.floor(n / groups.length) };
}

/** The same pseudo-random sequence in every run. */
export const some = (k: number, of: number) => (k * 104_729) % of;

/** The headers of a request to the account. */
export function partnerHeaders(stage: Stage): Ask['headers'] {
  const of = ({ made }: Group) => ({ Authorization: `Bearer ${made.token}` });
  const all = stage.groups.map(of);
  return all.length === 1 ? (all[0] as Record<string, string>) : (n) => all[n % all.length] as Record<string, string>;
}

/** The number of rows of these accounts. */
export async function count({ service, groups }: Stage, table: string, condition: string): Promise<number> {
  return asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from ${table} where account_id = any($1) and ${condition}`,
      [groups.map(({ made }) => made.accountId)],
    );
    return Number(rows[0]?.n);
  });
}

/** Counts before and after. The difference must equal the number of responses. */
export async function countsUp(
  stage: Stage,
  ...what: [table: string, condition: string][]
): Promise<(answered: number) => Promise<void>> {
  const countAll = () => Promise.all(what.map(([table, condition]) => count(stage, table, condition)));
  const before = await countAll();
  return async (answered) => {
    const after = await countAll();
    for (const [place, [table, condition]] of what.entries()) {
      const came = (after[place] ?? 0) - (before[place] ?? 0);
      if (came !== answered)
        throw new Error(`${answered} requests were answered, and ${came} ${table} (${condition}) are stored.`);
    }
  };
}
