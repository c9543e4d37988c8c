import { escaped } from './report/chart.ts';

/*
 * Draws the output of `node --cpu-prof` as a flame graph in SVG, without scripts or external files.
 */

/** The used fields of a profile. Times are microseconds of the monotonic clock. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  startTime: number;
  samples: number[];
  /** The time since the previous sample. */
  timeDeltas: number[];
}

export interface Frame {
  /** `function file`, without absolute paths. */
  name: string;
  home: string;
  /** Microseconds of the function itself, and including its callees. */
  self: number;
  total: number;
  children: Map<string, Frame>;
}

const [systemCalls, collecting, native] = ['system calls', 'garbage collection', 'native code, no JavaScript'];
/** The names of Node's functions for system calls. */
const systemCall =
  /^(writev?|write(Buffer|Latin1String|Utf8String|AsciiString|Ucs2String|String)|read|readStart|readStop|shutdown|close|fsync|open)$/;
const ofFastify =
  /^(@fastify\/|fastify|find-my-way|fast-json-stringify|fast-querystring|fast-decode-uri-component|secure-json-parse|avvio|light-my-request|toad-cache|process-warning|rfdc|reusify|fastq)/;

/** The call tree between two times. Equal functions are merged, and idle time is left out. */
export function stacks({ nodes, startTime, samples, timeDeltas }: CpuProfile, from: number, until: number): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const all: Frame = { name: 'all', home: 'all', self: 0, total: 0, children: new Map() };
  const paths = new Map<number, Frame[]>();
  const pathOf = (id: number): Frame[] => {
    const known = paths.get(id);
    if (known) return known;
    const parent = parents.get(id);
    const node = byId.get(id);
    if (!node) throw new Error(`The profile has a sample of ${id}, and no such function.`);
    const above = parent === undefined ? [] : pathOf(parent);
    const path = parent === undefined ? [all] : [...above, childOf(above.at(-1) ?? all, node.callFrame)];
    paths.set(id, path);
    return path;
  };
  let time = startTime;
  for (const [place, id] of samples.entries()) {
    time += timeDeltas[place] ?? 0;
    // A function ran until the next sample.
    const took = timeDeltas[place + 1] ?? 0;
    if (time < from || time + took > until || took <= 0 || byId.get(id)?.callFrame.functionName === '(idle)') continue;
    const path = pathOf(id);
    for (const frame of path) frame.total += took;
    const last = path.at(-1);
    if (last) last.self += took;
  }
  if (all.total === 0) throw new Error('Nothing was sampled in this time.');
  return all;
}

function childOf(parent: Frame, { functionName, url }: { functionName: string; url: string }): Frame {
  const file = fileOf(url);
  const name = `${functionName || '(anonymous)'} ${file}`.trim();
  const known = parent.children.get(name);
  if (known) return known;
  const made = { name, home: homeOf(functionName, file) ?? parent.home, self: 0, total: 0, children: new Map() };
  parent.children.set(name, made);
  return made;
}

/** A path relative to the project or to the package. */
export function fileOf(url: string): string {
  if (url.startsWith('node:')) return url;
  const path = url.replace(/^file:\/\//, '');
  const installed = path.lastIndexOf('/node_modules/');
  if (installed >= 0) return path.slice(installed + '/node_modules/'.length);
  const ours = path.lastIndexOf('/dist/');
  return ours >= 0 ? path.slice(ours + 1) : (path.split('/').at(-1) ?? '');
}

/** Undefined: counts for the caller, such as JSON.parse and generated code. */
function homeOf(functionName: string, file: string): string | undefined {
  if (functionName === '(garbage collector)') return collecting;
  if (functionName === '(program)') return native;
  if (file === '') return systemCall.test(functionName) ? systemCalls : undefined;
  if (file.startsWith('dist/'))
    return `ours: ${/^dist\/(features\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? 'the service itself'}`;
  if (file.startsWith('node:'))
    return /http|stream|node:net|node:internal\/net/.test(file) ? "node's HTTP and streams" : 'node, the rest';
  if (/^(pg|postgres)[-/a-z]*\//.test(file)) return 'the PostgreSQL driver';
  if (ofFastify.test(file)) return 'fastify';
  return /^(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file;
}

function* everyFrame(frame: Frame): Generator<Frame> {
  yield frame;
  for (const child of frame.children.values()) yield* everyFrame(child);
}

/** Shares of the total time, grouped by `by`, largest first. */
export function shares(all: Frame, by: (frame: Frame) => string): [name: string, share: number][] {
  const sums = new Map<string, number>();
  for (const frame of everyFrame(all))
    if (frame.self > 0) sums.set(by(frame), (sums.get(by(frame)) ?? 0) + frame.self / all.total);
  return [...sums].sort(([, a], [, b]) => b - a);
}

const [width, margin, high, top, letter] = [1200, 10, 17, 58, 6.3];
const [narrowest, deepest] = [0.003, 30];

/** Pale colours for dark text, on light and dark pages. */
const colours: [home: RegExp, colour: string, name: string][] = [
  [/^ours/, '#79b8ff', 'ours'],
  [/^fastify/, '#ffd57a', 'fastify'],
  [/^the PostgreSQL/, '#85d996', 'the PostgreSQL driver'],
  [/^node/, '#d2b8f5', 'node'],
  [/^garbage/, '#f5a8cb', collecting],
  [/^system/, '#ffad7a', systemCalls],
  [/./, '#c9d1d9', 'other'],
];
const colourOf = (home: string) => colours.find(([pattern]) => pattern.test(home))?.[1];
const style = `<style>
  text { font: 10.5px ui-monospace, monospace; fill: #1f2328 } .title { font: 600 14px system-ui, sans-serif } .key { font: 12px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) { .title, .key { fill: #f0f6fc } }
</style>`;

/** The width is the time. Callees are below their callers. */
export function flame(all: Frame, title: string): string {
  const parts: string[] = [];
  let lowest = 0;
  const inner = width - 2 * margin;
  const draw = (frame: Frame, start: number, depth: number) => {
    const share = frame.total / all.total;
    if (share < narrowest || depth >= deepest) return;
    lowest = Math.max(lowest, depth);
    const [x, y, wide] = [margin + start * inner, top + depth * high, share * inner];
    const fits = Math.floor((wide - 6) / letter);
    const words = frame.name.length <= fits ? frame.name : `${frame.name.slice(0, Math.max(0, fits - 1))}…`;
    const label = fits < 4 ? '' : `<text x="${round(x + 3)}" y="${y + 12}">${escaped(words)}</text>`;
    const tip = `<title>${escaped(frame.name)}: ${percent(share)}, itself ${percent(frame.self / all.total)}</title>`;
    parts.push(
      `<g>${tip}<rect x="${round(x)}" y="${y}" width="${round(wide)}" height="${high - 1}" fill="${colourOf(frame.home)}"/>${label}</g>`,
    );
    let at = start;
    for (const child of [...frame.children.values()].sort((a, b) => b.total - a.total)) {
      draw(child, at, depth + 1);
      at += child.total / all.total;
    }
  };
  draw(all, 0, 0);
  const keys = colours.map(([, colour, name], place) => {
    const x = margin + place * 165;
    return `<rect x="${x}" y="32" width="11" height="11" fill="${colour}"/><text class="key" x="${x + 17}" y="42">${escaped(name)}</text>`;
  });
  const height = top + (lowest + 1) * high + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
${[style, `<text class="title" x="${margin}" y="20">${escaped(title)}</text>`, ...keys, ...parts].join('\n')}
</svg>
`;
}

const round = (value: number) => Number(value.toFixed(2));
export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
