import { makeFixture } from './fixture.ts';
import type { Service } from './load/service.ts';
import { HttpServerLoad, type Turn, takeTurns } from './turns.ts';

/** A service that writes, and its name in the results. */
export interface Build {
  name: string;
  service: Service;
  /** Earlier builds have no figures. */
  hasFigures: boolean;
  /** Runs once, before the first write. */
  begin?(accountId: number): Promise<void>;
  /** Waits until the service has no more work of a turn. */
  settle?(): Promise<unknown>;
}

/** What was measured of each build, by its name, one value per turn. */
export interface ComparedRow {
  row: string;
  connections: number;
  /** Requests per second. */
  rates: Record<string, number[]>;
  /** Microseconds of CPU time per request, of the service and PostgreSQL. Other load on the machine changes it less. */
  cpu: Record<string, number[]>;
}

interface Options {
  /** The kinds of rows. */
  parts: ('contacts' | 'purchases')[];
  turns: number;
  seconds: number;
  say(text: string): void;
}

const connectionCounts = [16, 64];

/** Compares writes with those of other builds, in turns. Each build has a database of its own. */
export async function compareWrites(builds: Build[], { parts, turns, seconds, say }: Options): Promise<ComparedRow[]> {
  const wanted = new Set(parts);
  const made = [];
  for (const build of builds) {
    const fixture = await makeFixture(build.service, wanted, say, build.hasFigures);
    await build.begin?.(fixture.stage.groups[0]?.made.accountId ?? 0);
    made.push({ build, ...fixture });
  }
  const results: ComparedRow[] = [];
  for (const [place, { name }] of (made[0]?.rows ?? []).entries()) {
    const loads: { build: Build; load: HttpServerLoad }[] = [];
    for (const { build, stage, rows } of made) {
      const begun = await rows[place]?.begin(stage);
      if (!begun) throw new Error(`There is no row ${name}.`);
      const load = new HttpServerLoad(build.service.url, begun.ask, { machine: build.service.machine });
      await load.measure(64, 4 * seconds);
      await build.settle?.();
      loads.push({ build, load });
    }
    for (const connections of connectionCounts) {
      const contenders = loads.map(({ build, load }) => ({
        ...{ id: build.name, name: build.name },
        measure: async (time: number): Promise<Turn> => {
          const turn = await load.measure(connections, time);
          await build.settle?.();
          return turn;
        },
      }));
      const taken = await takeTurns(contenders, { turns, seconds });
      const each = (value: (turn: Turn) => number) =>
        Object.fromEntries([...taken].map(([id, all]) => [id, all.map(value)]));
      const [rates, cpu] = [each(({ perSecond }) => perSecond), each(cpuPerRequest)];
      results.push({ row: name, connections, rates, cpu });
      const shown = (values: typeof rates) =>
        Object.entries(values)
          .map(([id, all]) => `${id} ${all.map(Math.round).join(' ')}`)
          .join('; ');
      say(`  ${name}, ${connections} connections, per second: ${shown(rates)}`);
      say(`    µs of CPU time: ${shown(cpu)}`);
    }
  }
  return results;
}

function cpuPerRequest({ measured, use }: Turn): number {
  const seconds = (use?.service ?? Number.NaN) + (use?.postgres ?? Number.NaN);
  return (seconds * 1_000_000) / (measured?.requests ?? Number.NaN);
}
