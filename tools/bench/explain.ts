import { readFileSync } from 'node:fs';
import { makeFixture } from './fixture.ts';
import { load } from './load/load.ts';
import { asSuperuser, type Service, startProcess } from './load/service.ts';
import { executions, markdown, pick, suspiciousLines } from './plans.ts';
import { writeFile } from './report/document.ts';
import { existingContact, newContact } from './rows/contacts.ts';

const [connections, requests] = [32, 960];

/** Turns on auto_explain for new connections of the service's role, like `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)`. */
const settings: [name: string, value: string][] = [
  ['session_preload_libraries', 'auto_explain'],
  ['auto_explain.log_min_duration', '0'],
  ['auto_explain.log_analyze', 'on'],
  ['auto_explain.log_buffers', 'on'],
  ['auto_explain.log_timing', 'off'],
  ['auto_explain.log_nested_statements', 'off'],
  // Parameter values are left out.
  ['auto_explain.log_parameter_max_length', '0'],
];

/** Collects the plans that PostgreSQL logs while a second process answers bursts of requests. */
export async function explain(service: Service, say: (text: string) => void): Promise<void> {
  const { stage, rows } = await makeFixture(service, new Set(['redeem', 'search']), say);
  const role = new URL(service.database).username;
  await asSuperuser(service, async (client) => {
    for (const [name, value] of settings) await client.query(`alter role ${role} set ${name} = '${value}'`);
  });
  const { length } = readFileSync(service.serverLog);
  try {
    const explained = await startProcess({ DATABASE_URL: service.database });
    process.once('SIGTERM', () => void explained.end('SIGTERM'));
    try {
      for (const row of [newContact, existingContact, ...rows]) {
        const { ask } = await row.begin(stage);
        await load({ ...ask, url: explained.url, connections, requests });
      }
    } finally {
      // Stopping the process flushes pending writes, such as the request log.
      await explained.end('SIGTERM');
    }
  } finally {
    await asSuperuser(service, async (client) => {
      for (const [name] of settings) await client.query(`alter role ${role} reset ${name}`);
    });
  }
  const all = executions(readFileSync(service.serverLog).subarray(length).toString('utf8'));
  const picked = pick(all);
  writeFile('explain.md', markdown(picked, { connections, requests }));
  for (const { name, ran, execution } of picked) {
    say(`  ${name}: run ${ran} times`);
    for (const line of suspiciousLines(execution.plan)) say(`    ${line}`);
  }
  say('\nWritten: docs/performance/explain.md');
}
