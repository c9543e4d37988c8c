import { expect, test } from 'vitest';
import { executions, pick, shortened, suspiciousLines } from '../../../tools/bench/plans.ts';

const log = `2026-01-02 03:04:05.678 UTC [12] LOG:  checkpoint starting: time
2026-01-02 03:04:05.678 UTC [12] LOG:  duration: 0.1 ms  plan:
	Query Text: 
	    select a -- why
	    from t where b = $1
	Nested Loop  (cost=0.4..8.4 rows=10 width=8) (actual rows=231.00 loops=1)
	  ->  Seq Scan on units u  (cost=0.00..1.34 rows=14 width=23) (actual rows=2.50 loops=320)
	        Filter: (account_id = $7)
	  ->  Index Scan using p on t  (cost=0.4..8.4 rows=1 width=8) (actual rows=1.00 loops=3)
	  ->  Seq Scan on v  (cost=0.4..8.4 rows=1 width=8) (never executed)
2026-01-02 03:04:05.678 UTC [12] ERROR:  no
`;

test('each statement and its plan are read from a log, and nothing else', () => {
  const [one, ...others] = executions(log);
  expect(others).toEqual([]);
  expect(one?.statement).toBe('select a from t where b = $1');
  expect(one?.plan.split('\n')).toHaveLength(5);
  expect(one?.plan).toMatch(/^Nested Loop {2}\(cost/);
});

test('sequential scans and wrong estimates are reported', () => {
  expect(suspiciousLines(executions(log)[0]?.plan ?? '')).toEqual([
    'Nested Loop: 231 rows, 1 times, where 10 were expected',
    'Seq Scan on units u: 2.5 rows, 320 times',
  ]);
});

test('a statement that was not run is reported as missing', () => {
  expect(() => pick(executions(log))).toThrow('No plan was logged of');
});

test('only long lists of columns are shortened', () => {
  expect(shortened('insert into t (a, b, c, d, e, f, g, h) select a, b from x')).toBe(
    'insert into t (a, b, …, h) select a, b from x',
  );
  expect(
    shortened(
      'do update set a = excluded.a, b = excluded.b, c = excluded.c, d = excluded.d, e = excluded.e, f = excluded.f, g = 1',
    ),
  ).toBe('do update set a = excluded.a, b = excluded.b, …, g = 1');
});
