import { benchContacts } from './contacts.ts';
import { startService } from './service.ts';

const [rounds, seconds] = [3, 6];

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const round = (value: number, places = 0) => Number(value.toFixed(places));

const service = await startService();
try {
  const { name, connections, ours, limits, by } = await benchContacts(service, { connections: 64, seconds, rounds });
  const ratios = ours.map((measured, index) => measured.perSecond / (limits[index] ?? Number.NaN));
  console.table([
    {
      row: name,
      connections,
      'ours /s': round(median(ours.map((measured) => measured.perSecond))),
      [`${by} /s`]: round(median(limits)),
      ratio: `${round(median(ratios), 2)} (${ratios.map((ratio) => round(ratio, 2)).join(', ')})`,
      'p50 ms': round(median(ours.map((measured) => measured.p50)), 1),
      'p99 ms': round(median(ours.map((measured) => measured.p99)), 1),
      'p99/p50': round(median(ours.map((measured) => measured.p99 / measured.p50)), 1),
    },
  ]);
} finally {
  await service.stop();
}
