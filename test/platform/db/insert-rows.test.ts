import { describe, expect, it } from 'vitest';
import { type ColumnType, insertRows } from '../../../src/platform/db/insert-rows.ts';
import { type Run, sql, type Tx, transactionOver } from '../../../src/platform/db/sql.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed } from '../../support/database.ts';

const { account, db } = await testApp();
const { id: accountId } = await account('The Harbour Group');
await db.transaction(async (tx) => {
  await tx`
    create table samples (account_id bigint not null, id bigint generated always as identity, name text not null, whole integer,
      amount numeric, part real, yes boolean, list text[], object jsonb, bytes bytea, day date, local timestamp, moment timestamptz,
      shout text, primary key (account_id, id), unique (account_id, name))`;
  await tx`select add_tenant_table('samples')`;
});

const columns: Record<string, ColumnType> = {
  ...{ name: 'text', whole: 'integer', amount: 'numeric', part: 'real', yes: 'boolean', list: 'text[]' },
  ...{ object: 'jsonb', bytes: 'bytea', day: 'date', local: 'timestamp', moment: 'timestamptz' },
};
const full = {
  ...{ whole: 7, amount: '12.50', part: 0.5, yes: true, list: ['a "quoted"', 'b,c', ''], object: { a: [1, null] } },
  ...{ bytes: '\\x00ff', day: '2026-02-28', local: '2026-03-01 19:30:00', moment: '2026-03-01T19:30:00.123Z' },
};

/** The same transaction, with the statements of a single server or of a distributed one. */
function as(tx: Tx, isOneServer: boolean): Tx {
  const run: Run = (strings, ...values) => tx(strings, ...values);
  return transactionOver(run, { now: tx.now, isOneServer });
}

/** Values work on every server, JSON only on a single one. */
const kinds: [string, boolean][] = isDistributed()
  ? [['values', false]]
  : [
      ['JSON', true],
      ['values', false],
    ];

describe.each(kinds)('rows that are sent as %s', (kind, isOneServer) => {
  const insert = <Row>(rows: object[], clauses = sql``) =>
    db.tenant(accountId, (tx) =>
      insertRows<Row>(as(tx, isOneServer), accountId, {
        ...{ table: 'samples', columns, rows, clauses },
        computed: { shout: (of) => sql`case when ${of('whole')} is not null then upper(${of('name')}) end` },
      }),
    );
  const stored = (name: string) =>
    db.tenant(
      accountId,
      (tx) => tx`
      select whole, amount::text, part, yes, list, object, bytes::text, day::text, local::text,
        to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as moment, shout
      from samples where account_id = ${accountId} and name = ${name}`,
    );

  it('are stored with a value of each type, and without values', async () => {
    await insert([
      { name: `${kind} full`, ...full },
      { name: `${kind} empty`, whole: null },
    ]);
    expect((await stored(`${kind} full`))[0]).toEqual({
      ...{ ...full, moment: '2026-03-01 19:30:00.123', shout: `${kind} full`.toUpperCase() },
    });
    expect(Object.values((await stored(`${kind} empty`))[0] ?? {}).every((value) => value === null)).toBe(true);
  });

  it('get ids in their order, also if they are more than one statement can have', async () => {
    const names = Array.from({ length: 6000 }, (_, n) => `${kind} ${(n * 7919) % 6000}`);
    const rows = await insert<{ id: number; name: string }>(
      names.map((name) => ({ name })),
      sql`returning id, name`,
    );
    expect(rows.count).toBe(6000);
    expect(rows.toSorted((one, other) => one.id - other.id).map(({ name }) => name)).toEqual(names);
  });

  it('meet existing rows as the clause says', async () => {
    await insert([{ name: `${kind} again`, whole: 1 }]);
    const clause = sql`on conflict (account_id, name) do update set whole = samples.whole + excluded.whole returning whole`;
    expect((await insert([{ name: `${kind} again`, whole: 41 }], clause))[0]).toEqual({ whole: 42 });
    await expect(insert([{ name: `${kind} again` }])).rejects.toThrow(/duplicate key/);
  });

  it('can be none', async () => {
    expect((await insert([])).count).toBe(0);
  });
});
