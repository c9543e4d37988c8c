import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { connectionsInAll, connectionsOfEach } from '../../../src/app/workers/connections.ts';
import { forwardLines } from '../../../src/app/workers/forward-lines.ts';
import { WorkerMetrics } from '../../../src/app/workers/metrics-sum.ts';
import { Load } from '../../../src/platform/http/load.ts';
import { formatMetrics, type MetricValues } from '../../../src/platform/internals/prom-client.ts';

const figure = (name: string, type: string, value: number, aggregator = 'sum'): MetricValues => ({
  ...{ name, help: name, type, aggregator, values: [{ value, labels: { route: '/a' } }] },
});
const worker = (id: number, count: number, busy: number, lag: number) => ({
  id,
  metrics: async () => [
    figure('done', 'counter', count),
    figure('busy', 'gauge', busy),
    figure('lag', 'gauge', lag, 'max'),
  ],
});

describe('the metrics of workers', () => {
  it('are summed, and a counter does not fall when a worker ends', async () => {
    const tallies = new WorkerMetrics();
    for (const id of [1, 2, 3]) tallies.add(id);
    const lines = async (...workers: ReturnType<typeof worker>[]) =>
      (await formatMetrics(await tallies.collect(workers)))
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
    expect(await lines(worker(1, 10, 2, 0.1), worker(2, 5, 1, 0.7))).toEqual([
      'done{route="/a"} 15',
      'busy{route="/a"} 3',
      'lag{route="/a"} 0.7',
    ]);
    tallies.remove(2);
    expect(await lines(worker(1, 11, 2, 0.1), worker(3, 1, 0, 0.2))).toEqual([
      'done{route="/a"} 17',
      'busy{route="/a"} 2',
      'lag{route="/a"} 0.2',
    ]);
    // One that fails to answer counts as before; what arrives of one that has gone meanwhile is not counted again.
    tallies.remove(3);
    const silent = { id: 1, metrics: () => Promise.reject(new Error('gone')) };
    expect(await lines(silent, worker(3, 2, 0, 0.2))).toEqual([
      'done{route="/a"} 17',
      'busy{route="/a"} 2',
      'lag{route="/a"} 0.1',
    ]);
  });
});

describe('the resources shared by several processes', () => {
  it('include about forty database connections in total, at least four each', () => {
    expect([1, 2, 4, 8, 16].map((workers) => connectionsOfEach(workers).worker)).toEqual([0, 10, 10, 5, 4]);
    expect(connectionsOfEach(1).main).toBe(10);
    expect([1, 2, 8, 64].map(connectionsInAll)).toEqual([20, 34, 54, 270]);
  });

  it('include the limit for request bytes, but each process can read one body of maximum size', () => {
    const MiB = 1024 * 1024;
    const takes = (processes: number, longestBody: number, length: number) => {
      const load = new Load(processes, longestBody);
      const request = { headers: { 'content-length': String(length) }, socket: { once() {} } };
      let count = 0;
      for (; !load.isFull; count++) load.add(request as never, longestBody);
      return count - 1;
    };
    expect([1, 4].map((processes) => takes(processes, MiB, MiB))).toEqual([256, 64]);
    expect([1, 4].map((processes) => takes(processes, MiB, 0))).toEqual([20_000, 5000]);
    expect(takes(8, 100 * MiB, 100 * MiB)).toBe(1);
  });
});

describe('the output of workers', () => {
  it('is forwarded in whole lines, for any chunks', async () => {
    const written = new PassThrough();
    const pieces: string[] = [];
    forwardLines(written, (lines) => pieces.push(lines));
    const text = `${JSON.stringify({ name: 'Café Zoë' })}\n`.repeat(3);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) written.write(bytes.subarray(at, at + 7));
    written.end('cut sho');
    await once(written, 'end');
    expect(pieces.join('')).toBe(`${text}cut sho\n`);
    for (const piece of pieces) expect(piece.endsWith('\n')).toBe(true);
  });
});
