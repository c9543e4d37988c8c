import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deployedMetrics } from '../support/deployed-metrics.ts';
import { start } from '../support/process.ts';

/** These have no value before the first event. */
const absentAtFirst = ['regulars_dropped_total', 'regulars_outcomes_total'];

it('the service exposes every metric of the alert rules and of the Grafana dashboard, and documents its own', async () => {
  const service = await start({ env: { WORKERS: '2' } });
  const { body: account } = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
  const { body } = await service.admin('POST', `/accounts/${account.id}/tokens`, { name: 'till' });
  await fetch(`${service.url}/v1/contact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
    body: '{"email": "ana@gmail.com"}',
  });
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const names = deployedMetrics();
  expect(names.length).toBeGreaterThan(15);
  const exposed = (name: string) =>
    absentAtFirst.includes(name) ? text.includes(`# TYPE ${name} `) : new RegExp(`^${name}[{ ]`, 'm').test(text);
  expect(names.filter((name) => !exposed(name))).toEqual([]);
  const documented = readFileSync('docs/operations.md', 'utf8');
  const own = Array.from(text.matchAll(/^# TYPE (regulars_\w+) /gm), ([, name = '']) => name);
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  await service.stop();
});
