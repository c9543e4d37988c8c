import { Counter, Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import {
  addMetric,
  formatMetrics,
  type MetricValues,
  metricsOf,
  sumMetrics,
} from '../../../src/platform/internals/prom-client.ts';

const own = (value: number): MetricValues => ({
  name: 'own_total',
  help: 'Counted elsewhere.',
  type: 'counter',
  aggregator: 'sum',
  values: [{ value, labels: { route: '/a' } }],
});

function registryWith(count: number): Registry {
  const registry = new Registry();
  addMetric(registry, 'own_total', () => own(count));
  new Counter({ name: 'counter_total', help: 'A counter.', labelNames: ['x'], registers: [registry] }).inc(
    { x: 'y' },
    count,
  );
  const average = { name: 'average', help: 'An average.', aggregator: 'average' as const, registers: [registry] };
  new Gauge(average).set(count);
  new Gauge({ name: 'none', help: 'No number yet.', registers: [registry] }).set(Number.NaN);
  return registry;
}

it('reads metrics from a registry, those counted elsewhere too, in a shape that JSON keeps', async () => {
  const metrics = await metricsOf(registryWith(2));
  expect(metrics).toEqual(JSON.parse(JSON.stringify(metrics)));
  expect(metrics).toEqual([
    own(2),
    {
      name: 'counter_total',
      help: 'A counter.',
      type: 'counter',
      aggregator: 'sum',
      values: [{ value: 2, labels: { x: 'y' } }],
    },
    { name: 'average', help: 'An average.', type: 'gauge', aggregator: 'max', values: [{ value: 2, labels: {} }] },
    { name: 'none', help: 'No number yet.', type: 'gauge', aggregator: 'sum', values: [] },
  ]);
});

it('sums the metrics of several processes, and formats them for Prometheus', async () => {
  const sum = sumMetrics([await metricsOf(registryWith(2)), await metricsOf(registryWith(5))]);
  const lines = (await formatMetrics(sum)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual(['own_total{route="/a"} 7', 'counter_total{x="y"} 7', 'average 5']);
  const text = await registryWith(2).metrics();
  expect(text).toContain('# HELP own_total Counted elsewhere.\n# TYPE own_total counter\nown_total{route="/a"} 2');
});
