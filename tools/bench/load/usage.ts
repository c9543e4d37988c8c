import { readdirSync, readFileSync } from 'node:fs';

/*
 * CPU time and memory of processes, from /proc. Undefined on systems without it (macOS).
 */

/** The kernel counts in hundredths of a second on every architecture that Node supports. */
const ticksPerSecond = 100;

interface Status {
  parent: number;
  /** The CPU time of the process, and of its ended children. */
  seconds: number;
  endedSeconds: number;
}

function statusOf(pid: number): Status | undefined {
  try {
    // The name is in parentheses and can contain any character.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (place: number) => Number(fields[place]) / ticksPerSecond;
    return { parent: Number(fields[1]), seconds: ticks(11) + ticks(12), endedSeconds: ticks(13) + ticks(14) };
  } catch {
    return undefined;
  }
}

/** These processes and their descendants, without those of `except`. */
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

/** The CPU time of these processes; with `ended`, also of their ended children. */
function cpuSeconds(pids: number[], { ended } = { ended: false }): number | undefined {
  const found = pids.flatMap((pid) => statusOf(pid) ?? []);
  if (found.length === 0) return undefined;
  return found.reduce((sum, { seconds, endedSeconds }) => sum + seconds + (ended ? endedSeconds : 0), 0);
}

/** Resident memory in MB, now or at its peak. */
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

/** The processes to measure: a service and its PostgreSQL. */
export interface Machine {
  servicePids: number[];
  postmaster: number;
}

export interface Use {
  /** Seconds of CPU time. */
  service: number | undefined;
  postgres: number | undefined;
  /** The peak memory of the service in MB, sampled ten times per second. */
  peak: number | undefined;
}

/** Measures the usage during `work`. */
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
  // The postmaster inherits the CPU time of ended backends, so none is lost.
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

/** The CPU time of a PostgreSQL server: the postmaster, its children, and those that have ended. */
export function postgresSeconds(postmaster: number): number | undefined {
  const own = cpuSeconds([postmaster], { ended: true });
  const children = familyOf([postmaster]).filter((pid) => pid !== postmaster);
  return own === undefined ? undefined : own + (cpuSeconds(children) ?? 0);
}

const less = (after: number | undefined, before: number | undefined) =>
  after === undefined || before === undefined ? undefined : after - before;
