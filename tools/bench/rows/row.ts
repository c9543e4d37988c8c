import type { Group } from '../load/guests.ts';
import type { Ask } from '../load/load.ts';
import { asSuperuser, type Service } from '../load/service.ts';

/** Where a row is measured: requests are spread over all of its accounts. */
export interface Stage {
  service: Service;
  groups: Group[];
}

/** A kind of request. */
export interface Row {
  key: string;
  name: string;
  begin(stage: Stage): Promise<Begun>;
}

export interface Begun {
  ask: Ask;
  /** The same done by PostgreSQL alone, in the first account. */
  limit?: Script;
  /** Throws where what is stored is not what so many answers said. */
  stored?(answered: number): Promise<void>;
}

export interface Script {
  /** In words: `the same transaction`. */
  what: string;
  /** In pgbench's own language, a statement a line; `:name` are the variables. `app.account_id` is set already. */
  script: string;
  variables: Record<string, number | string>;
}

/** The account that the nth request is for, and which of this account's requests it is. */
export function turnOf({ groups }: Stage, n: number): { group: Group; k: number } {
  return { group: groups[n % groups.length] as Group, k: Math.floor(n / groups.length) };
}

/** The same sequence in every run, all over what there is. */
export const some = (k: number, of: number) => (k * 104_729) % of;

/** What a partner sends with a request to the account whose turn it is. */
export function partnerHeaders(stage: Stage): Ask['headers'] {
  const of = ({ made }: Group) => ({ Authorization: `Bearer ${made.token}` });
  const all = stage.groups.map(of);
  return all.length === 1 ? (all[0] as Record<string, string>) : (n) => all[n % all.length] as Record<string, string>;
}

/** How many rows of these accounts there are. */
export async function count({ service, groups }: Stage, table: string, condition: string): Promise<number> {
  return asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from ${table} where account_id = any($1) and ${condition}`,
      [groups.map(({ made }) => made.accountId)],
    );
    return Number(rows[0]?.n);
  });
}

/** Counts now, and again when it is over: as many must have come as were answered. */
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
