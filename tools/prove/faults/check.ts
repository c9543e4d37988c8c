import type { Connection } from '../../../src/platform/db/connection.ts';
import { type Run, raw } from '../../../src/platform/db/sql.ts';
import { violations } from '../../../test/support/invariants.ts';
import { keyHash, type Write } from './script.ts';

export interface CheckResult {
  wrong: string[];
  /** The number of unanswered writes that were stored. */
  storedUnanswered: number;
  lost: number;
  doubled: number;
  half: number;
}

interface Part {
  /** The name in `Write.parts`. */
  part: string;
  contact: number | null;
  times: number;
}

/** Compares the stored rows of an account with the responses. */
export async function checkAccount({ run }: Connection, account: number, writes: Write[]): Promise<CheckResult> {
  const stored = new Map((await partsOf(run, account)).map((one) => [one.part, one]));
  const verdict: CheckResult = { wrong: [], storedUnanswered: 0, lost: 0, doubled: 0, half: 0 };
  for (const write of writes) checkWrite(write, stored, verdict);
  const sent = new Set(writes.flatMap(({ parts }) => parts));
  const unsent = [...stored.keys()].filter((part) => !sent.has(part));
  if (unsent.length > 0) verdict.wrong.push(`${unsent.length} stored parts were never sent, such as ${unsent[0]}.`);
  verdict.wrong.push(
    ...(await differentRecords(run, account, writes)),
    ...(await wrongContacts(run, account, writes, stored)),
  );
  return verdict;
}

function checkWrite(write: Write, stored: Map<string, Part>, verdict: CheckResult): void {
  const times = write.parts.map((part) => stored.get(part)?.times ?? 0);
  const name = `${write.path} with ${write.parts[0]}, answered ${write.answer?.status ?? 'never'} and asked ${write.asked} times,`;
  const list = () => write.parts.map((part, index) => `${part}: ${times[index]}`).join(', ');
  if (times.some((count) => count > 1)) {
    verdict.doubled++;
    verdict.wrong.push(`${name} was done more than once: ${list()}.`);
  } else if (times.every((count) => count === 0)) {
    if (write.answer?.status !== 200) return;
    verdict.lost++;
    verdict.wrong.push(`${name} is lost.`);
  } else if (times.some((count) => count === 0)) {
    verdict.half++;
    verdict.wrong.push(`${name} is half there: ${list()}.`);
  } else if (write.answer?.status === 422 && (write.key !== undefined || write.asked === 1)) {
    // Without an idempotency key, a repeated redemption is rejected because of its own first attempt.
    verdict.wrong.push(`${name} was refused and done.`);
  } else if (!write.answer) {
    verdict.storedUnanswered++;
  }
}

/** All stored parts of the clients' writes, by their names. */
function partsOf(run: Run, account: number): Promise<Part[]> {
  return run<Part>`
    with part (part, contact) as (
      select 'note ' || text, contact_id from notes where account_id = ${account}
      union all select 'wifi ' || hotspot_name, contact_id from wifi_interactions where account_id = ${account}
      union all select 'feedback ' || (comments -> 0 ->> 'note'), contact_id from feedback f where account_id = ${account}
        and 1 = (select count(*) from feedback_ratings r where r.account_id = f.account_id and r.feedback_id = f.id)
      union all select 'purchase ' || transaction_reference, contact_id from purchases where account_id = ${account}
      union all select 'booking ' || booking_reference, contact_id from bookings where account_id = ${account}
      union all select 'table ' || unnest(table_numbers), null from bookings where account_id = ${account}
      union all select 'redeemed ' || unique_code || ' ' || to_char(redeemed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), null
        from unique_codes where account_id = ${account} and redeemed_at is not null
      union all select 'contact ' || email, id from contacts where account_id = ${account} and email like 'guest.%'
      union all select 'consent ' || channel || ' ' || email, c.id from consent_ledger l join contacts c on c.account_id = l.account_id and c.id = l.contact_id
        where l.account_id = ${account} and applied and email like 'guest.%'
      union all select 'identity ' || kind || ' ' || value, contact_id from identities where account_id = ${account}
        and (kind = 'membership' or kind = 'email' and value like 'guest.%' or kind = 'mobile' and value like '4477%')
      union all select 'kept ' || key, contact_id from idempotency_records where account_id = ${account})
    select part, max(contact) as contact, count(*) as times from part group by part`;
}

/** Each idempotency record equals the response that was sent. */
async function differentRecords(run: Run, account: number, writes: Write[]): Promise<string[]> {
  const kept = await run<{
    key: string;
    body: string;
  }>`select key, body from idempotency_records where account_id = ${account}`;
  const given = new Map(writes.map(({ key, answer }) => [key && keyHash(key), answer]));
  return kept
    .filter(({ key, body }) => given.get(key) && given.get(key)?.body !== body)
    .map(({ key, body }) => `${key} was answered ${given.get(key)?.body}, and kept is ${body}.`);
}

/** All parts of a write belong to one contact: the one in its response, or one merged into it since. */
async function wrongContacts(run: Run, account: number, writes: Write[], stored: Map<string, Part>): Promise<string[]> {
  const merged = new Map(
    (
      await run<{ id: number; into: number }>`
        select id, merged_into as into from contacts where account_id = ${account} and merged_into is not null`
    ).map(({ id, into }) => [id, into]),
  );
  const today = (id: number) => merged.get(id) ?? id;
  return writes.flatMap(({ isOfOneGuest, parts, answer, path }) => {
    if (!isOfOneGuest) return [];
    const guests = new Set(parts.flatMap((part) => stored.get(part)?.contact ?? []).map(today));
    if (answer?.status === 200) guests.add(today((JSON.parse(answer.body) as { id: number }).id));
    return guests.size > 1 ? [`${path} with ${parts[0]} belongs to the contacts ${[...guests].join(', ')}.`] : [];
  });
}

/** Checks the invariants of the database. */
export async function checkDatabase({ run, script }: Connection): Promise<string[]> {
  const wrong = Object.entries(await violations(run)).map(
    ([what, rows]) => `There are ${what}: ${rows.length}, such as ${JSON.stringify(rows[0])}.`,
  );
  const misplaced = await run<{ kind: string; count: number }>`
    select kind, count(*) as count from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
    join contacts today on today.account_id = c.account_id and today.id = coalesce(c.merged_into, c.id)
    where kind = 'mobile' and today.mobile_number is null or kind = 'email' and today.email is null group by kind`;
  for (const { kind, count } of misplaced)
    wrong.push(`${count} contacts have an identity of a kind that their row lacks: ${kind}.`);
  wrong.push(...(await orphans(run)), ...(await indexesThatDiffer(run, script)));
  return wrong;
}

/** Rows that violate a foreign key. */
async function orphans(run: Run): Promise<string[]> {
  const keys = await run<{ name: string; source: string; target: string; given: string; same: string }>`
    select c.conname as name, c.conrelid::regclass::text as source, c.confrelid::regclass::text as target,
      string_agg(format('s.%I is not null', a.attname), ' and ') as given, string_agg(format('s.%I = t.%I', a.attname, b.attname), ' and ') as same
    from pg_constraint c cross join unnest(c.conkey, c.confkey) as pair (source, target)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.source
    join pg_attribute b on b.attrelid = c.confrelid and b.attnum = pair.target
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace group by c.oid`;
  const wrong: string[] = [];
  for (const { name, source, target, given, same } of keys) {
    const [row] = await run<{ count: number }>`
      select count(*) as count from ${raw(source)} s where ${raw(given)} and not exists (select from ${raw(target)} t where ${raw(same)})`;
    if (row?.count) wrong.push(`${row.count} rows of ${source} refer to nothing: ${name}.`);
  }
  return wrong;
}

/** Compares each table with its primary key index, and rebuilds the unique indexes. */
async function indexesThatDiffer(run: Run, script: (text: string) => Promise<void>): Promise<string[]> {
  const tables = await run<{ name: string; key: string }>`
    select i.indrelid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by place) as key
    from pg_index i cross join unnest(i.indkey) with ordinality as part (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = part.number
    join pg_class c on c.oid = i.indrelid where i.indisprimary and c.relnamespace = 'public'::regnamespace group by 1`;
  const wrong: string[] = [];
  for (const { name, key } of tables) {
    const print = async (byKey: boolean) => {
      await script(
        `set enable_seqscan = ${!byKey}; set enable_indexscan = ${byKey}; set enable_indexonlyscan = ${byKey}; set enable_bitmapscan = off`,
      );
      const [row] = await run<{ print: string }>`
        select count(*) || ' ' || coalesce(sum(hashtextextended(key::text, 0)::numeric), 0) as print
        from (select (${raw(key)})::text as key from ${raw(name)} order by ${raw(key)}) as keys`;
      return row?.print;
    };
    if ((await print(false)) !== (await print(true))) wrong.push(`The key of ${name} does not lead to all its rows.`);
  }
  await script('reset all');
  try {
    await script('reindex schema public');
  } catch (error) {
    wrong.push(`The indexes can't be rebuilt: ${(error as Error).message}.`);
  }
  return wrong;
}
