import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Undo } from './peer.ts';

interface Program {
  /** What node is told. */
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** Only what it is given, and not what happens to be set on this machine. */
const start = ({ args, cwd, env }: Program) =>
  spawn(process.execPath, args, {
    cwd,
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' },
      ...{ NODE_ENV: 'production', ...env },
    },
    // What it has to say goes to stderr, whichever of the two it says it on: stdout is the benchmark's.
    stdio: ['ignore', 2, 2],
  });

const ended = (child: ChildProcess) =>
  new Promise<number | null>((done, failed) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode);
    child.once('close', done);
    child.once('error', failed);
  });

/** Until it ends by itself. */
export async function runProgram(what: string, program: Program, undo: Undo): Promise<void> {
  const child = start(program);
  undo.push(() => end(child));
  const code = await ended(child);
  if (code !== 0) throw new Error(`${what} ended with ${code}.`);
}

/** Once it answers; it is ended with the rest. Gives its process id. */
export async function startProgram(what: string, program: Program, healthy: string, undo: Undo): Promise<number> {
  const child = start(program);
  undo.push(() => end(child));
  for (let tries = 0; !(await answers(healthy)); tries++) {
    if (tries > 600 || child.exitCode !== null || child.pid === undefined) throw new Error(`${what} did not start.`);
    await pause(100);
  }
  return child.pid as number;
}

/** It has ten seconds to end by itself. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = ended(child);
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(impatient);
}

const answers = (url: string) =>
  fetch(url).then(
    (response) => response.status < 500,
    () => false,
  );
