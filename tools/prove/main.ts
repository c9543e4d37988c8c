import { parseArgs } from 'node:util';
import { findCitus } from '../servers/citus.ts';
import { proveFairness } from './fairness.ts';
import { proveFaults } from './faults.ts';
import { proveInput } from './input.ts';
import { proveRedemptions } from './redemptions.ts';
import type { ProofOptions, Verdict } from './support/proof.ts';

const proofs: Record<string, { claim: string; prove(terms: ProofOptions): Promise<Verdict> }> = {
  input: { claim: 'Bad input gets a clear answer, and changes nothing.', prove: proveInput },
  fairness: { claim: 'A flood from one account does not slow down another.', prove: proveFairness },
  redeem: { claim: 'Vouchers are redeemed once, whatever happens.', prove: proveRedemptions },
  faults: { claim: 'What was answered is there, once and whole, whatever fails.', prove: proveFaults },
};

const usage = `npm run prove                        everything below, while everything breaks: half an hour, and as root a small disk is mounted to be filled
npm run prove -- ${Object.keys(proofs).join('|').padEnd(20)}only this
npm run prove -- --short             the form for every change, some minutes
npm run prove -- --citus             on a distributed PostgreSQL, whose nodes are killed too (TEST_CITUS or an installed Citus)
npm run prove -- --seed 42           the same choices again, as far as the timing of processes allows`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // An unknown argument prints the usage.
  strict: false,
  options: {
    short: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const known = Object.keys(values).every((name) => ['short', 'citus', 'seed'].includes(name));
const short = values.short === true;
const seed = Number(values.seed);
const chosen = positionals.length > 0 ? positionals : Object.keys(proofs);
if (!known || !Number.isInteger(seed) || chosen.some((name) => !(name in proofs))) {
  process.stderr.write(`${usage}\n`);
  process.exit(1);
}
const citus = values.citus ? findCitus() : undefined;
if (values.citus && citus === undefined) {
  process.stderr.write('Citus is not installed. Set TEST_CITUS to the folder of PostgreSQL programs that have it.\n');
  process.exit(1);
}
const say = (text: string) => process.stdout.write(`${text}\n`);
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());

for (const name of chosen) {
  if (citus !== undefined && name === 'input') {
    say('LEFT OUT: bad input. Its triggers note all changes on one server.\n');
    continue;
  }
  const { claim, prove } = proofs[name] as (typeof proofs)[string];
  say(`${claim} Seed ${seed}.`);
  const { tally, wrong } = await prove({ seed, short, citus, say, signal }).catch((error) => {
    if (signal.aborted) return interrupted();
    throw error;
  });
  if (signal.aborted) interrupted();
  say('');
  for (const [what, count] of Object.entries(tally)) say(`  ${count.toLocaleString('en').padStart(10)}  ${what}`);
  for (const sentence of wrong.slice(0, 20)) say(`  WRONG: ${sentence}`);
  say(wrong.length === 0 ? '\nIt holds.\n' : `\nIt does not hold: ${wrong.length} things are wrong. Seed ${seed}.\n`);
  if (wrong.length > 0) process.exitCode = 1;
}

function interrupted(): never {
  say('Interrupted: nothing is proven.');
  process.exit(130);
}
