import { readdirSync, readFileSync } from 'node:fs';

/*
 * What processes use, from /proc. Where there is none (macOS), everything here is undefined: unknown.
 */

/** The kernel counts time in hundredths of a second on every architecture that Node runs on. */
const ticksPerSecond = 100;

interface Status {
  parent: number;
  /** Of its own, and of its children that have ended. */
  seconds: number;
  endedSeconds: number;
}

function statusOf(pid: number): Status | undefined {
  try {
    // The name, which may hold anything, is in parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (place: number) => Number(fields[place]) / ticksPerSecond;
    return { parent: Number(fields[1]), seconds: ticks(11) + ticks(12), endedSeconds: ticks(13) + ticks(14) };
  } catch {
    return undefined;
  }
}

/** These processes and all that they started, but for those under `except`. */
export function familyOf(pids: number[], except: number[] = []): number[] {
  let all: string[];
  try {
    all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  const parents = new Map(all.map((pid) => [Number(pid), statusOf(Number(pid))?.parent]));
  const isOf = (pid: number | undefined): boolean =>
    pid !== undefined && !except.includes(pid) && (pids.includes(pid) || isOf(parents.get(pid)));
  return [...parents.keys()].filter(isOf);
}

/** The processor time that these have had so far; with `ended`, also that of their children that are gone. */
function cpuSeconds(pids: number[], { ended } = { ended: false }): number | undefined {
  const found = pids.flatMap((pid) => statusOf(pid) ?? []);
  if (found.length === 0) return undefined;
  return found.reduce((sum, { seconds, endedSeconds }) => sum + seconds + (ended ? endedSeconds : 0), 0);
}

/** Megabytes in memory now, or the most there ever were. */
export function memory(pids: number[], which: 'VmRSS' | 'VmHWM'): number | undefined {
  let kilobytes: number | undefined;
  for (const pid of pids) {
    try {
      const found = new RegExp(`${which}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
      if (found) kilobytes = (kilobytes ?? 0) + Number(found[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return kilobytes === undefined ? undefined : kilobytes / 1024;
}

/** Whose use is measured: a service, and the PostgreSQL that it uses. */
export interface Machine {
  servicePids: number[];
  postmaster: number;
}

export interface Use {
  /** Seconds of processor time. */
  service: number | undefined;
  postgres: number | undefined;
  /** The most megabytes that the service had, looked at ten times a second. */
  peak: number | undefined;
}

/** What a piece of work costs. */
export async function used<T>(
  { servicePids, postmaster }: Machine,
  work: () => Promise<T>,
): Promise<{ done: T; use: Use }> {
  const services = familyOf(servicePids, [postmaster]);
  let peak = memory(services, 'VmRSS');
  const look = () => {
    const now = memory(services, 'VmRSS');
    if (now !== undefined) peak = Math.max(peak ?? 0, now);
  };
  // A server process that ends leaves its time with the postmaster, so none is lost.
  const read = () => [cpuSeconds(services), postgresSeconds(postmaster)];
  const [serviceBefore, postgresBefore] = read();
  const timer = setInterval(look, 100);
  try {
    const done = await work();
    const [service, postgres] = read();
    look();
    return { done, use: { service: less(service, serviceBefore), postgres: less(postgres, postgresBefore), peak } };
  } finally {
    clearInterval(timer);
  }
}

function postgresSeconds(postmaster: number): number | undefined {
  const own = cpuSeconds([postmaster], { ended: true });
  const children = familyOf([postmaster]).filter((pid) => pid !== postmaster);
  return own === undefined ? undefined : own + (cpuSeconds(children) ?? 0);
}

const less = (after: number | undefined, before: number | undefined) =>
  after === undefined || before === undefined ? undefined : after - before;
