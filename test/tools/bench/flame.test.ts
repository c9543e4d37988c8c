import { expect, test } from 'vitest';
import { type CpuProfile, fileOf, flame, shares, stacks } from '../../../tools/bench/flame.ts';

const here = 'file:///home/somebody/regulars';
const node = (id: number, functionName: string, url: string, ...children: number[]) => ({
  ...{ id, callFrame: { functionName, url } },
  children,
});

/** One sample per millisecond. Each covers the time until the next. */
function profileOf(samples: number[]): CpuProfile {
  return {
    nodes: [
      node(1, '(root)', '', 2, 3, 4, 5, 9),
      node(2, '(idle)', ''),
      node(3, '(garbage collector)', ''),
      node(4, 'write<Contact> & "more"', `${here}/dist/features/guests/write/write.js`, 6, 7, 8),
      node(5, 'start', `${here}/dist/main.js`),
      node(6, 'query', `${here}/node_modules/pg/lib/client.js`, 10),
      node(7, 'stringify', ''),
      // The same function once more, optimized or from another place in the file.
      node(8, 'query', `${here}/node_modules/pg/lib/client.js`),
      node(9, '(program)', ''),
      node(10, 'writev', ''),
    ],
    startTime: 1_000_000,
    samples: [...samples, 2],
    timeDeltas: [0, ...samples.map(() => 1000)],
  };
}

/** Start-up for 2 ms, then 10 ms including 2 ms idle. */
const profile = profileOf([5, 5, 4, 6, 8, 10, 10, 7, 3, 9, 2, 2]);
const all = () => stacks(profile, 1_002_000, 1_012_000);

test('only samples in the given time count, without idle time', () => {
  expect(all().total).toBe(8000);
  const names = [...all().children.keys()];
  expect(names).toHaveLength(3);
  expect(names.join()).not.toContain('start');
  expect(() => stacks(profile, 2_000_000, 3_000_000)).toThrow('Nothing was sampled');
  expect(() => stacks({ ...profile, samples: [99, 99, 99] }, 0, 2_000_000)).toThrow('99');
});

test('the same function of the same file is combined, and shares are by category', () => {
  expect(shares(all(), ({ name }) => name).slice(0, 2)).toEqual([
    ['query pg/lib/client.js', 0.25],
    ['writev', 0.25],
  ]);
  expect(Object.fromEntries(shares(all(), ({ home }) => home))).toEqual({
    // With what JSON.stringify took: it is whose who called it.
    'ours: features/guests': 0.25,
    'the PostgreSQL driver': 0.25,
    'system calls': 0.25,
    'garbage collection': 0.125,
    'native code, no JavaScript': 0.125,
  });
});

test('a drawn frame is as wide as its time, under its caller, with escaped names', () => {
  const svg = flame(all(), 'Writes & more');
  const boxOf = (name: string) => {
    const [, x, y, wide] =
      new RegExp(`<title>${name}[^<]*</title><rect x="([\\d.]+)" y="([\\d.]+)" width="([\\d.]+)"`).exec(svg) ?? [];
    return { x: Number(x), y: Number(y), wide: Number(wide) };
  };
  const [whole, write, query] = [boxOf('all'), boxOf('write'), boxOf('query')];
  expect(write.wide / whole.wide).toBeCloseTo(6 / 8);
  expect(query.wide / whole.wide).toBeCloseTo(4 / 8);
  expect(boxOf('writev').wide / whole.wide).toBeCloseTo(2 / 8);
  expect(query).toMatchObject({ x: write.x, y: write.y + (write.y - whole.y) });
  expect(svg).toContain(
    '<title>write&lt;Contact&gt; &amp; &quot;more&quot; dist/features/guests/write/write.js: 75.0 %, itself 12.5 %</title>',
  );
  expect(svg).not.toContain('<Contact>');
  expect(svg).not.toContain('somebody');
});

test('very short and very deep frames are not drawn', () => {
  const many = profileOf([...Array.from({ length: 999 }, () => 7), 3, 3]);
  const svg = flame(stacks(many, 0, 1e9), 'x');
  expect(svg).toContain('stringify');
  expect(svg).not.toContain('<title>(garbage');
  const nodes = Array.from({ length: 50 }, (_, at) => node(at + 1, `f${at}_`, '', ...(at < 49 ? [at + 2] : [])));
  const deep = flame(stacks({ nodes, startTime: 0, samples: [50, 50], timeDeltas: [0, 1000] }, 0, 1000), 'x');
  expect(deep).toContain('f29_');
  expect(deep).not.toContain('f30_');
});

test('names contain no path of the machine', () => {
  expect(fileOf(`${here}/dist/features/guests/contacts/store.js`)).toBe('dist/features/guests/contacts/store.js');
  expect(fileOf('/x/node_modules/a/node_modules/@b/c/lib/d.js')).toBe('@b/c/lib/d.js');
  expect(fileOf('node:internal/streams/writable')).toBe('node:internal/streams/writable');
  expect(fileOf('/home/somebody/elsewhere.js')).toBe('elsewhere.js');
});
