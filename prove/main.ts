import { parseArgs } from 'node:util';
import { proveRedemptions } from './redemptions.ts';

const usage = `npm run prove                          a million attempts at redeeming vouchers, while everything breaks
npm run prove -- --attempts 100000     fewer
npm run prove -- --seed 42             the same kills and cuts again, as far as chance allows`;
const { values } = parseArgs({
  options: {
    attempts: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [attempts, seed] = [Number(values.attempts), Number(values.seed)];
if (!(attempts >= 1000) || !Number.isInteger(seed)) {
  process.stderr.write(`${usage}\n`);
  process.exit(1);
}
const say = (text: string) => process.stdout.write(`${text}\n`);

say(`Vouchers are redeemed once, whatever happens. Seed ${seed}.`);
const { tally, wrong } = await proveRedemptions({ attempts, seed, say });
say('');
for (const [name, count] of Object.entries(tally)) say(`  ${count.toLocaleString('en').padStart(10)}  ${name}`);
for (const sentence of wrong.slice(0, 20)) say(`  WRONG: ${sentence}`);
say(wrong.length === 0 ? '\nIt holds.' : `\nIt does not hold: ${wrong.length} things are wrong.`);
process.exitCode = wrong.length === 0 ? 0 : 1;
