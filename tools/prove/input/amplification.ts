import { Agent } from 'node:http';
import type { Random } from '../../../src/shared/random.ts';
import type { Operation, Shape } from './document.ts';
import type { Fixture } from './fixture.ts';
import { deep, Literal } from './hostile/values.ts';
import { requestWith } from './requests.ts';
import { type Answer, send } from './sending.ts';

/** The limit of an error response, which lists at most 100 fields. */
const longestError = 64_000;
/** The CPU limit of one request: a fixed part and a part per byte. Linear parsing needs a tenth of it. */
const fixedCpuMs = 250;
const cpuMsPerByte = 0.004;
/** Just below the body limit. */
const elements = 90_000;
/** The lengths of lists by nesting depth. */
const widthsByDepth = [[1000], [900, 100], [9, 100, 100]];
/** Below the limit of 16 KiB for the headers. */
const queryBytes = 12_000;

export interface Amplified {
  requests: number;
  longestError: number;
  mostCpuMs: number;
  /** For requests of 10 kB and more. */
  mostCpuMsPerKb: number;
}

/** Sends each route the requests that cost the most per byte. */
export async function amplify(
  fixture: Fixture,
  operations: Operation[],
  chance: Random,
  signal: AbortSignal,
  say: (wrong: string) => void,
): Promise<Amplified> {
  const found: Amplified = { requests: 0, longestError: 0, mostCpuMs: 0, mostCpuMsPerKb: 0 };
  const port = Number(new URL(fixture.service.url).port);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const operation of operations) {
      if (signal.aborted) break;
      for (const [what, input] of attacksOn(operation)) {
        const isQuery = typeof input === 'string';
        const outgoing = requestWith(chance, fixture, operation, isQuery ? {} : input, !isQuery);
        if (isQuery) outgoing.target += `?${input}`;
        const bytes = outgoing.body.length + outgoing.target.length;
        const allowed = fixedCpuMs + cpuMsPerByte * bytes;
        let answer: Answer | undefined;
        let cpu = Number.POSITIVE_INFINITY;
        // Repeat a slow request, because a garbage collection can have interrupted it.
        for (let attempt = 0; attempt < 3 && cpu > allowed; attempt++) {
          const before = await cpuMs(fixture);
          [answer] = (await send(agent, port, outgoing)) ?? [];
          cpu = Math.min(cpu, (await cpuMs(fixture)) - before);
          found.requests++;
        }
        found.mostCpuMs = Math.max(found.mostCpuMs, cpu);
        if (bytes >= 10_000) found.mostCpuMsPerKb = Math.max(found.mostCpuMsPerKb, cpu / (bytes / 1000));
        const name = `${operation.name}, ${what}, ${bytes} bytes`;
        if (!answer) say(`${name}: it was not answered.`);
        else if (answer.status >= 500) say(`${name}: it was answered ${answer.status}.`);
        else if (answer.status >= 400) {
          found.longestError = Math.max(found.longestError, answer.body.length);
          if (answer.body.length > longestError) say(`${name}: the error has ${answer.body.length} characters.`);
        }
        if (cpu > allowed) say(`${name}: it took ${Math.round(cpu)} ms of CPU.`);
      }
      await fixture.restock();
    }
  } finally {
    agent.destroy();
  }
  return found;
}

/** An input as fields, or as a query string. */
type Input = Record<string, unknown> | string;

function* attacksOn({ input, path }: Operation): Generator<[what: string, input: Input]> {
  for (const [value, name] of [
    [{}, 'empty objects'],
    [1, 'numbers'],
    ['', 'blank texts'],
    [[], 'empty lists'],
  ] as const)
    for (const list of listsIn(input)) {
      const filled = fill(list, value);
      yield [`${list.join('.')} of ${name}`, filled];
      if (path === '/v1/contact')
        yield [
          `${list.join('.')} of ${name}, discarded`,
          { rules: [{ rule_name: 'discard_invalid_data' }], ...filled },
        ];
    }
  const fields = Object.keys(input.properties ?? {});
  // Unknown fields are handled alike by all routes. One route gets the maximum, the others less.
  const share = path === '/v1/contact' ? 1 : 10;
  yield ['unknown fields', Object.fromEntries(Array.from({ length: elements / share }, (_, n) => [`x${n}`, 1]))];
  yield ['deep lists', { x: new Literal(`[${Array(900 / share).fill(deep(95, true).text)}]`) }];
  const text = '1'.repeat(900_000 / share / Math.max(1, fields.length));
  yield ['long texts', Object.fromEntries(fields.map((name) => [name, `${text}x`]))];
  for (const name of fields.slice(0, 3)) {
    yield [`a long query of ${name}`, `${name}[]=&`.repeat(queryBytes / (name.length + 4))];
    yield [`a long text in the query, ${name}`, `${name}=${'1'.repeat(queryBytes)}x`];
  }
}

/** The path of each list. `[]` is an element of the list before it. */
function listsIn(shape: Shape, names: string[] = []): string[][] {
  const inside = Object.entries(shape.properties ?? {}).flatMap(([name, field]) => listsIn(field, [...names, name]));
  return shape.type === 'array' ? [names, ...listsIn(shape.items ?? {}, [...names, '[]'])] : inside;
}

/** The list, filled up to the body limit. */
function fill(names: string[], value: unknown): Record<string, unknown> {
  const widths = [...(widthsByDepth[names.filter((name) => name === '[]').length] ?? [])];
  const list = (one: unknown) => Array(widths.pop() ?? 1).fill(one);
  return names.reduceRight<unknown>(
    (inner, name) => (name === '[]' ? list(inner) : { [name]: inner }),
    list(value),
  ) as {
    [name: string]: unknown;
  };
}

/** The CPU time of the service so far. */
async function cpuMs({ service }: Fixture): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1000;
}
