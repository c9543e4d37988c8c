import { ratioOf, type Spread, spreadOf } from '../load/statistics.ts';
import type { CitusRow, SystemResult } from './measure.ts';

/** The deviation from 1 ÷ n that the goal allows. */
export const tolerance = 0.15;

/** A single server, or a cluster. Microseconds of CPU time per write of the whole system. */
export interface SystemSummary {
  workers: number;
  perSecond: Spread;
  /** The service. */
  service: number;
  /** The single server, or the coordinator. */
  first: Spread;
  busiest?: {
    /** Its place among the workers. */
    place: number;
    cost: Spread;
    /** n × its CPU time ÷ that of the only worker, per turn. 1: the load is divided by n. */
    ofShare: Spread;
    isReached: boolean;
  };
  /** All workers together. */
  workersCost: number;
  /** All servers together ÷ the single server, per turn. */
  overSingle: Spread;
}

export interface RowSummary {
  name: string;
  systems: SystemSummary[];
  /** Of the largest cluster: one core of the coordinator, and the number of workers that are as busy as the coordinator. */
  perCoordinatorCore: number;
  saturation: number;
}

const workersOf = ({ nodes }: SystemResult) => nodes.filter(({ kind }) => kind === 'worker').map(({ turns }) => turns);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const eachTurn = (nodes: number[][]) => (nodes[0] ?? []).map((_, turn) => sum(nodes.map((turns) => turns[turn] ?? 0)));

export function summaryOf({ name, systems }: CitusRow): RowSummary {
  const single = systems.find(({ workers }) => workers === 0);
  const alone = systems.find(({ workers }) => workers === 1);
  const largest = systems.at(-1);
  if (!single || !alone || !largest) throw new Error('A single server and a cluster with one worker are needed.');
  const summaries = systems.map((system) => summaryOfSystem(system, single, alone));
  const { first, workersCost } = summaries.at(-1) as SystemSummary;
  return {
    ...{ name, systems: summaries },
    perCoordinatorCore: 1e6 / first.median,
    saturation: workersCost / first.median,
  };
}

function summaryOfSystem(system: SystemResult, single: SystemResult, alone: SystemResult): SystemSummary {
  const all = system.nodes.map(({ turns }) => turns);
  const workers = workersOf(system);
  const [only] = workersOf(alone);
  const medians = workers.map((turns) => spreadOf(turns).median);
  const place = medians.indexOf(Math.max(...medians));
  const busiest = workers[place];
  const ofShare =
    busiest &&
    only &&
    ratioOf(
      busiest.map((cost) => cost * workers.length),
      only,
    );
  return {
    ...{ workers: system.workers, perSecond: system.perSecond, service: system.service },
    first: spreadOf(all[0] ?? []),
    ...(busiest &&
      ofShare && {
        busiest: {
          ...{ place, cost: spreadOf(busiest), ofShare },
          isReached: Math.abs(ofShare.median - 1) <= tolerance,
        },
      }),
    workersCost: workers.length === 0 ? 0 : spreadOf(eachTurn(workers)).median,
    overSingle: ratioOf(eachTurn(all), eachTurn(single.nodes.map(({ turns }) => turns))),
  };
}
