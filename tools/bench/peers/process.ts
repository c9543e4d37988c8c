import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Undo } from './peer.ts';

interface Program {
  /** The arguments of node. */
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** The complete environment. Variables of this process are not inherited. */
const start = ({ args, cwd, env }: Program) =>
  spawn(process.execPath, args, {
    cwd,
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' },
      ...{ NODE_ENV: 'production', ...env },
    },
    // Its output goes to stderr, because stdout is for the benchmark.
    stdio: ['ignore', 2, 2],
  });

const ended = (child: ChildProcess) =>
  new Promise<number | null>((done, failed) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode);
    child.once('close', done);
    child.once('error', failed);
  });

/** Waits for its exit. */
export async function runProgram(what: string, program: Program, undo: Undo): Promise<void> {
  const child = start(program);
  undo.push(() => end(child));
  const code = await ended(child);
  if (code !== 0) throw new Error(`${what} ended with ${code}.`);
}

/** Waits until it answers, and registers its clean-up. Returns its process id. */
export async function startProgram(what: string, program: Program, healthy: string, undo: Undo): Promise<number> {
  const child = start(program);
  undo.push(() => end(child));
  for (let tries = 0; !(await answers(healthy)); tries++) {
    if (tries > 600 || child.exitCode !== null || child.pid === undefined) throw new Error(`${what} did not start.`);
    await pause(100);
  }
  return child.pid as number;
}

/** Stops it within ten seconds, then kills it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = ended(child);
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(killTimer);
}

const answers = (url: string) =>
  fetch(url).then(
    (response) => response.status < 500,
    () => false,
  );
