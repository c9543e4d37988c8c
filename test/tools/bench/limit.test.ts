import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectedIn, limit } from '../../../tools/bench/load/limit.ts';

const path = process.env.PATH ?? '';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'regulars-limit-'));
  process.env.PATH = `${folder}${delimiter}${path}`;
});

afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true, force: true });
});

/** A pgbench that needs this long to connect, and then makes 100 transactions in its first second and 500 in each further one. */
function installPgbench(secondsToConnect: number): void {
  const program = join(folder, 'pgbench');
  writeFileSync(
    program,
    `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -T ] && duration=$2; shift; done
echo "$duration" >> ${folder}/durations
if [ "$duration" -le ${secondsToConnect} ]; then
  echo "progress: ${secondsToConnect}.3 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed" >&2
  echo "number of transactions actually processed: 0"
  exit 0
fi
at=${secondsToConnect} rate=0.0
while [ "$at" -le "$duration" ]; do
  echo "progress: $at.0 s, $rate tps, lat 1.000 ms stddev 0.000, 0 failed" >&2
  at=$((at + 1))
  if [ "$rate" = 0.0 ]; then rate=100.0; else rate=500.0; fi
done
echo "number of failed transactions: 0 (0.000%)"
echo "initial connection time = ${secondsToConnect}000.000 ms"
`,
  );
  chmodSync(program, 0o755);
}

const run = { database: 'postgres://localhost/x', connections: 32, seconds: 2, script: 'select 1;', variables: {} };
const durations = () => readFileSync(join(folder, 'durations'), 'utf8').trim().split('\n').map(Number);

test('pgbench runs again for longer if its connections took the time, and neither they nor the warm-up count', async () => {
  installPgbench(5);
  expect(await limit(run)).toBe(500);
  expect(durations()).toEqual([4, 9]);
});

test('one run is enough if the connections are quick', async () => {
  installPgbench(1);
  expect(await limit(run)).toBe(500);
  expect(durations()).toEqual([4]);
});

test('a pgbench that never connects in time is an error', async () => {
  installPgbench(9999);
  await expect(limit(run)).rejects.toThrow('took too long to connect');
  expect(durations()).toHaveLength(4);
});

test('the connection time is in seconds, and unknown without transactions', () => {
  expect(connectedIn('initial connection time = 1459.928 ms')).toBeCloseTo(1.46);
  expect(connectedIn('number of transactions actually processed: 0')).toBe(Number.POSITIVE_INFINITY);
});
