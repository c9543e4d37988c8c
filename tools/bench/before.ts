import { makeFixture } from './fixture.ts';
import type { Service } from './load/service.ts';
import { ratioOf, type Spread, spreadOf } from './load/statistics.ts';
import type { Row, Stage } from './rows/row.ts';
import { HttpServerLoad, takeTurns } from './turns.ts';

/** Writes by this build and by an earlier one, in turns. */
export interface WriteResult {
  row: string;
  connections: number;
  /** Requests per second. */
  now: Spread;
  before: Spread;
  /** The time per request of this build, relative to the other one. */
  slower: Spread;
}

interface Options {
  turns: number;
  seconds: number;
  say(text: string): void;
}

const connectionCounts = [16, 64];

/** Compares contact writes and purchases with another build, each with a database of its own. */
export async function compareWrites(service: Service, other: Service, options: Options): Promise<WriteResult[]> {
  const { turns, seconds, say } = options;
  const wanted = new Set(['contacts', 'purchases']);
  const mine = await makeFixture(service, wanted, say);
  const theirs = await makeFixture(other, wanted, say, false);
  const results: WriteResult[] = [];
  for (const row of mine.rows) {
    const [now, before] = [await begin(mine.stage, row), await begin(theirs.stage, row)];
    for (const one of [now, before]) await one.measure(64, 4 * seconds);
    for (const connections of connectionCounts) {
      const contenders = [now.contender('now', 'now', connections), before.contender('before', 'before', connections)];
      const taken = await takeTurns(contenders, { turns, seconds });
      const rates = (id: string) => (taken.get(id) ?? []).map(({ perSecond }) => perSecond);
      const result = {
        ...{ row: row.name, connections, now: spreadOf(rates('now')), before: spreadOf(rates('before')) },
        slower: ratioOf(rates('before'), rates('now')),
      };
      results.push(result);
      const [ours, earlier] = [result.now.median, result.before.median].map(Math.round);
      say(
        `  ${row.name}, ${connections} connections: ${ours} a second, before ${earlier}: ${result.slower.median.toFixed(2)} times the time`,
      );
    }
  }
  return results;
}

async function begin(stage: Stage, row: Row): Promise<HttpServerLoad> {
  const { ask } = await row.begin(stage);
  return new HttpServerLoad(stage.service.url, ask, { machine: stage.service.machine });
}
