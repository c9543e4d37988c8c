import { Agent } from 'node:http';
import { connect } from 'node:net';
import { Random } from '../../src/shared/random.ts';
import { type Amplified, amplify } from './input/amplification.ts';
import { checkResponses, isRejected } from './input/check.ts';
import { type Operation, operationAt, operationsOf } from './input/document.ts';
import type { Made } from './input/draft.ts';
import { Fixture } from './input/fixture.ts';
import { makeRequest } from './input/requests.ts';
import { type Answer, send } from './input/sending.ts';
import type { ProofOptions, Verdict } from './support/proof.ts';

/** Each lane has its own service and database, so that a change can be attributed to a request. */
const lanes = 4;
/** The requests of a lane between two restocks of deleted data. */
const restockEvery = 100;
/** The requests between two comparisons of the whole database with the recorded changes. */
const compareEvery = 2500;
/** What the first requests of a lane change: one request for each operation, so that each is accepted and refused. */
const firstChanges = ['none', 'no credential', 'another piece of the path', 'a value replaced'];
const watchEvery = 500;
/** The memory limit. More indicates a leak. */
const maxMemory = 1024 ** 3;
/** The service closes such a connection after a minute and checks every ten seconds. */
const longestIdleMs = 100_000;

interface Tally {
  requests: number;
  accepted: number;
  rejected: Map<number, number>;
  closed: number;
  faults: number;
  halfWritten: number;
  withoutResponse: number;
  slowest: { ms: number; what: string };
  memory: number;
  compared: number;
  tables: Set<string>;
  /** By route: the numbers of accepted and rejected requests. */
  reached: Map<string, [accepted: number, rejected: number]>;
}

/**
 * Sends hostile requests, generated from the OpenAPI document, to a real service over real sockets. Every response must
 * be documented, and a rejected request must not change the database.
 */
export async function proveInput({ seed, short, say, signal }: ProofOptions): Promise<Verdict> {
  const wanted = short ? 5000 : 100_000;
  const wrong: string[] = [];
  const tally: Tally = {
    ...{ requests: 0, accepted: 0, rejected: new Map(), closed: 0, faults: 0, halfWritten: 0, withoutResponse: 0 },
    ...{ slowest: { ms: 0, what: '' }, memory: 0, compared: 0, tables: new Set(), reached: new Map() },
  };
  let begin = performance.now();
  let seconds = 0;
  let printed = 0;
  const fixtures: Fixture[] = [];
  let amplified: Amplified | undefined;
  const progress = setInterval(() => {
    const share = Math.floor((tally.requests / wanted) * 100);
    say(`  ${String(share).padStart(3)} %: ${tally.requests.toLocaleString('en')} requests, ${wrong.length} wrong.`);
    // Print at once, because the run can take minutes more.
    for (; printed < wrong.length && printed < 20; printed++) say(`  ${wrong[printed]}`);
  }, 10_000);
  try {
    // One after the other, because creating a database uses a small machine completely.
    for (let lane = 0; lane < lanes && !signal.aborted; lane++) fixtures.push(await Fixture.prepare());
    begin = performance.now();
    await Promise.all(
      fixtures.map((fixture, lane) =>
        runLane(fixture, { lane, count: wanted / lanes, seed, signal }, tally, (text) => wrong.push(text)).catch(
          (error: Error) => wrong.push(`Lane ${lane} did not get to its end: ${error.stack}`),
        ),
      ),
    );
    seconds = (performance.now() - begin) / 1000;
    // Alone, because its cost is measured.
    const [fixture] = fixtures;
    if (fixture && !signal.aborted)
      amplified = await amplify(fixture, await operationsAt(fixture), new Random(seed), signal, (text) =>
        wrong.push(text),
      );
  } finally {
    clearInterval(progress);
    for (const fixture of fixtures) await fixture.end();
  }
  for (const [name, [accepted, rejected]] of tally.reached) {
    if (accepted === 0) wrong.push(`The proof is idle: ${name} was never accepted.`);
    if (rejected === 0 && !/\/(health|metrics)$/.test(name))
      wrong.push(`The proof is idle: ${name} was never refused.`);
  }
  const counts = [...tally.reached.values()];
  const least = (at: 0 | 1) => Math.min(...counts.map((one) => one[at]));
  say(`The slowest: ${tally.slowest.what}`);
  const statuses = [...tally.rejected].sort(([one], [other]) => one - other);
  return {
    wrong,
    tally: {
      requests: tally.requests,
      'operations of the document': tally.reached.size,
      'of each, accepted at least': least(0),
      'of each, refused at least': least(1),
      'accepted in all': tally.accepted,
      ...Object.fromEntries(statuses.map(([status, count]) => [`refused with ${status}`, count])),
      'connections closed without an answer': tally.closed,
      'answered 5xx': tally.faults,
      'refused and half written': tally.halfWritten,
      'errors without a field or a message': tally.withoutResponse,
      'times the whole database was compared': tally.compared,
      'tables that were changed': tally.tables.size,
      'slowest, in ms': Math.round(tally.slowest.ms),
      'most memory, in MB': Math.round(tally.memory / 1e6),
      'requests a second': Math.round(tally.requests / seconds),
      'requests made to amplify': amplified?.requests ?? 0,
      'longest error answer to them, in bytes': amplified?.longestError ?? 0,
      'most CPU for one of them, in ms': Math.round(amplified?.mostCpuMs ?? 0),
      'most CPU for a kB of them, in µs': Math.round((amplified?.mostCpuMsPerKb ?? 0) * 1000),
    },
  };
}

async function operationsAt({ service }: Fixture): Promise<Operation[]> {
  return operationsOf((await (await fetch(`${service.url}/openapi.json`)).json()) as object);
}

/** Sends a lane's share of the requests, one after the other. */
async function runLane(
  fixture: Fixture,
  { lane, count, seed, signal }: { lane: number; count: number; seed: number; signal: AbortSignal },
  tally: Tally,
  say: (wrong: string) => void,
) {
  const port = Number(new URL(fixture.service.url).port);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const incomplete = sendIncomplete(port, fixture.account.token);
    const operations = await operationsAt(fixture);
    for (const { name } of operations) if (!tally.reached.has(name)) tally.reached.set(name, [0, 0]);
    const { started } = await metrics(fixture);
    let { prints } = await fixture.snapshot();
    /** The recorded changes since then. */
    const noted = new Set<string>();
    const note = (changes: string[]) => {
      for (const change of changes) noted.add(change.split(' ')[1] ?? '');
    };
    for (let number = 0; number < count && !signal.aborted; number++) {
      // A separate generator per request, so that a request does not depend on earlier ones.
      const chance = new Random((seed * lanes + lane) * 1_000_003 + number);
      const first = operations[number];
      // What an earlier request has deleted is there again, so that this one is accepted.
      if (first && firstChanges[lane] === 'none') note(await fixture.restock());
      const made = first
        ? makeRequest(chance, fixture, first, firstChanges[lane])
        : makeRequest(chance, fixture, chance.weighted(operations, weightOf));
      const begin = performance.now();
      const answers = await send(agent, port, made.outgoing);
      const ms = performance.now() - begin;
      const changed = await fixture.changes();
      note(changed);
      const changes = changed.filter((change) => !change.startsWith('sweep '));
      const problems = checkResponses(made, operations, answers, changes);
      for (const problem of problems)
        say(`${problem} Lane ${lane}, request ${number}: ${shown(made)}${answersText(answers)}`);
      add(tally, made, operations, { answers, changes, problems, ms });
      if (made.visitor && changes.length > 0) fixture.visitors = fixture.visitors.filter((one) => one !== made.visitor);
      const mayLackItems = changes.some((change) => /^delete (accounts|sessions)$|^update tokens$/.test(change));
      if (number % restockEvery === 0 || mayLackItems || fixture.visitors.length === 0) note(await fixture.restock());
      const isLast = number === count - 1;
      if (isLast || number % compareEvery === compareEvery - 1) {
        const now = await fixture.snapshot();
        note(now.changes);
        tally.compared++;
        for (const name of Object.keys(now.prints))
          if (now.prints[name] !== prints[name] && !noted.has(name)) say(`${name} was changed without a record.`);
        for (const name of noted) tally.tables.add(name);
        prints = now.prints;
        noted.clear();
      }
      if (isLast || number % watchEvery === 0) {
        const { memory, started: since } = await metrics(fixture);
        tally.memory = Math.max(tally.memory, memory);
        if (since !== started) say('The service started anew.');
        if (memory > maxMemory) say(`The service holds ${Math.round(memory / 1e6)} MB.`);
      }
    }
    if (signal.aborted) return;
    for (const [what, ms] of await Promise.all(incomplete)) if (ms > longestIdleMs) say(`It was left open: ${what}.`);
    const { status } = await fetch(`${fixture.service.url}/health`);
    if (status !== 200) say(`In the end the service is not healthy: ${status}.`);
  } finally {
    agent.destroy();
  }
}

interface Exchange {
  answers: Answer[] | undefined;
  changes: string[];
  problems: string[];
  ms: number;
}

function add(
  tally: Tally,
  made: Made,
  operations: Operation[],
  { answers = [], changes, problems, ms }: Exchange,
): void {
  tally.requests++;
  if (ms > tally.slowest.ms) tally.slowest = { ms, what: shown(made) };
  for (const { status } of answers) {
    if (status >= 500) tally.faults++;
    else if (status >= 400) tally.rejected.set(status, (tally.rejected.get(status) ?? 0) + 1);
  }
  const isAccepted = !isRejected(answers);
  if (isAccepted) tally.accepted++;
  if (answers.length === 0) tally.closed++;
  if (!isAccepted && changes.length > 0) tally.halfWritten++;
  if (problems.some((problem) => problem.includes('without a'))) tally.withoutResponse++;
  // Invalid HTTP does not reach a route.
  if (made.breakage || answers.length === 0) return;
  const reached = operationAt(operations, made.outgoing.method, made.outgoing.target);
  const counts = tally.reached.get(reached?.name ?? '');
  if (counts) counts[isAccepted ? 0 : 1]++;
}

/** Routes with more fields get more requests. Routes with a password get fewer, because hashing is slow. */
function weightOf({ path, method, hasBody }: Operation): number {
  if (path.startsWith('/admin/v1/session') && method === 'POST') return 0.75;
  if (path.startsWith('/admin/v1/users') && hasBody) return 0.75;
  if (/^\/(health|metrics)$/.test(path)) return 0.2;
  if (path === '/v1/contact') return 15;
  if (path.startsWith('/v1/') && hasBody) return 6;
  return hasBody ? 2 : 1;
}

async function metrics({ service }: Fixture): Promise<{ memory: number; started: number }> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  return { memory: value('process_resident_memory_bytes'), started: value('process_start_time_seconds') };
}

/** Clients that send an incomplete request. Returns the time until each connection was closed. */
function sendIncomplete(port: number, token: string): Promise<[what: string, ms: number]>[] {
  const begun: Record<string, string> = {
    'nothing at all': '',
    'half a line': 'POST /v1/con',
    'half a head': 'POST /v1/contact HTTP/1.1\r\nhost: x\r\nx-a',
    'half a body': `POST /v1/contact HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-length: 100\r\n\r\n{"email":`,
    'half a chunk': `POST /v1/contact HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: chunked\r\n\r\n50\r\n{"email":`,
  };
  return Object.entries(begun).map(
    ([what, text]) =>
      new Promise((done) => {
        const begin = performance.now();
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        const timer = setTimeout(() => socket.destroy(), longestIdleMs + 1000);
        socket.on('error', () => {});
        socket.on('data', () => {});
        socket.on('close', () => {
          clearTimeout(timer);
          done([what, performance.now() - begin]);
        });
      }),
  );
}

/** The request as text, to send it again by hand. */
function shown({ outgoing, changes }: Made): string {
  const { method, target, headers, body, wire } = outgoing;
  const cut = (text: string, length: number) =>
    text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
  const list = headers.map(([name, value]) => `${name}: ${cut(value, 60)}`).join(' | ');
  const what = changes.length > 0 ? changes.join(', ') : 'nothing changed';
  return `${wire ? 'raw ' : ''}${method} ${cut(target, 300)} [${list}] ${cut(body.toString(), 400)} (${what})`;
}

function answersText(answers: { status: number; body: string }[] | undefined): string {
  return (answers ?? []).map(({ status, body }) => `\n    ${status} ${body.slice(0, 300)}`).join('');
}
