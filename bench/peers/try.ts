import pg from 'pg';
import { benchContacts } from '../contacts.ts';
import { startService } from '../service.ts';
import { benchRedemptions } from '../vouchers.ts';
import { type Ask, peers } from './peers.ts';

void [benchContacts, benchRedemptions];
const say = (text: string) => process.stdout.write(`${text}\n`);
const wanted = process.argv.slice(2);
const seconds = Number(process.env.SECONDS_EACH ?? 5);
let next = 0;
const load = async (ask: Ask, forSeconds: number) => {
  const end = performance.now() + forSeconds * 1000;
  const begin = performance.now();
  let count = 0;
  const { load: ours } = await import('./try-load.ts');
  const first = next;
  count = await ours(ask, 64, end, () => next++);
  void first;
  return { count, rate: count / ((performance.now() - begin) / 1000) };
};
const service = await startService();
try {
  if (wanted.includes('ours')) {
    const options = { connections: 64, seconds, rounds: 1, say };
    await benchContacts(service, options);
    await benchRedemptions(service, options);
  }
  for (const peer of peers) {
    if (!wanted.includes(peer.name)) continue;
    await peer.install(say);
    const running = await peer.start(service, say);
    say(`${peer.name} ${peer.version} pids ${running.pids()}`);
    try {
      for (const job of ['contact', 'redeem'] as const) {
        await load(running[job], seconds);
        for (let turn = 0; turn < 2; turn++) {
          const { rate } = await load(running[job], seconds);
          say(`${peer.name} ${job}: ${Math.round(rate)} a second`);
        }
      }
      // Again, the first: a contact is updated, a code is refused.
      for (const job of ['contact', 'redeem'] as const) {
        const { url, path, headers, body } = running[job];
        for (const n of [0, next - 1]) {
          const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: body(n) });
          say(`${job} again: ${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`);
        }
      }
      const client = new pg.Client({
        connectionString: service.superuser.replace(/[^/]*$/, `peer_${peer.name.toLowerCase()}`),
      });
      await client.connect();
      const { rows } = await client.query(
        `select ${['contacts', 'identities', 'contact_units', 'contact_groups', 'consent_ledger'].map((t) => `(select count(*) from ${t}) as ${t}`)},
        (select count(*) from unique_codes where redeemed_at is not null) as redeemed`,
      );
      say(`${next} asked; ${JSON.stringify(rows[0])}`);
      await client.end();
      next = 0;
    } finally {
      await running.stop();
    }
    const client = new pg.Client({ connectionString: service.superuser });
    await client.connect();
    say(
      JSON.stringify(
        (
          await client.query(
            `select (select array_agg(datname) from pg_database) d, (select array_agg(rolname) from pg_roles where rolname like 'peer%') r`,
          )
        ).rows,
      ),
    );
    await client.end();
  }
} finally {
  await service.stop();
}
