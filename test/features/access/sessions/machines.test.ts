import { expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/db/database.ts';
import { appOver } from '../../../support/app.ts';
import { openTestDatabase, superuser } from '../../../support/database.ts';
import { fromOurPage, staffPassword } from '../../../support/staff.ts';

const { db, ...database } = await openTestDatabase();
const sql = await superuser(database);
let transactions = 0;
const counted: Database = {
  ...db,
  transaction: (work, lane) => {
    if (lane === undefined) transactions++;
    return db.transaction(work, lane);
  },
};
/** Machines that share only the database. */
const machines = await Promise.all([1, 2, 3, 4].map(() => appOver(counted, database)));
const [first] = machines as [(typeof machines)[number]];
const email = 'olivia@harbour.example';
await first.admin('POST', '/users', { email, password: staffPassword, role: 'owner', account_ids: [] });

/** The visible parts of a response, and its transactions. */
async function attempt(n: number, name: string, password: string) {
  const before = transactions;
  const machine = machines[n % machines.length] as typeof first;
  const { status, body, headers } = await machine.call('POST', '/admin/v1/session', {
    body: { email: name, password },
    headers: fromOurPage,
  });
  const { date, 'x-request-id': _, ...visible } = headers;
  return { status, body, visible, transactions: transactions - before };
}

it('wrong passwords at several machines do not reveal which e-mails have users', async () => {
  const seen = [];
  // Each machine alone would allow five without a wait.
  for (let n = 0; n < 16; n++)
    seen.push([await attempt(n, email, `wrong ${n}`), await attempt(n, 'nobody@harbour.example', `wrong ${n}`)]);
  for (const [known, unknown] of seen) expect(known).toEqual(unknown);
  expect(new Set(seen.map(([known]) => known?.status))).toEqual(new Set([401]));
  // Only ten were checked, and nothing was stored for the e-mail without a user.
  const events = await sql<{ actor: string }>`select actor from audit_trail where action = 'user.wrong_password'`;
  expect(events.map(({ actor }) => actor)).toEqual(Array(10).fill(email));
  expect((await attempt(0, email, staffPassword)).status).toBe(401);
});
