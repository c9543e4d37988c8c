import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../../src/features/insight/segments/definition.ts';
import { ErrorCollector, Invalid } from '../../../../src/shared/problem.ts';

/** The messages by path, and the definition as it was read. */
function read(sent: unknown) {
  const errors = new ErrorCollector();
  try {
    const definition = readDefinition(sent, errors);
    return { definition, errors: { ...errors.fields }, paths: Object.keys(errors.fields) };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { definition: undefined, errors: error.errors, paths: Object.keys(error.errors) };
  }
}
const city = { field: 'city', op: 'is', value: 'Bath' };
const nested = (depth: number): unknown => (depth === 1 ? city : { all: [nested(depth - 1)] });

describe('a valid definition', () => {
  it.each([
    city,
    { field: 'gender', op: 'is', value: '' },
    { field: 'udf:5', op: 'starts_with', value: 'x' },
    { field: 'udf:5', op: 'before', value: '2026-02-01' },
    { field: 'allow_sms', op: 'is', value: false },
    { field: 'unit', op: 'not_in', value: [1, 2] },
    { field: 'segment', op: 'in', value: [1] },
    { field: 'spend', op: 'between', value: [-5, 99.5], in_last_days: 0, unit_ids: [3] },
    { field: 'nps', op: 'unknown', in_last_days: 36_500, unit_ids: [3] },
    { field: 'last_visit', op: 'known', unit_ids: [3] },
    { field: 'dob', op: 'after', value: '2199-12-31' },
    { field: 'birthday', op: 'in_month', value: 12 },
    { all: [{ any: [city] }, { not: { not: city } }] },
  ])('is read as it is: %j', (definition) => {
    expect(read(definition)).toEqual({ definition, errors: {}, paths: [] });
  });

  it('is read leniently, and stored strictly', () => {
    expect(read({ field: ' city ', op: 'is', value: ' Bath ', in_last_days: null, unit_ids: null }).definition).toEqual(
      city,
    );
    expect(
      read({ field: 'visits', op: 'at_least', value: '3', in_last_days: '7', unit_ids: ['4'] }).definition,
    ).toEqual({
      ...{ field: 'visits', op: 'at_least', value: 3, in_last_days: 7, unit_ids: [4] },
    });
    expect(read({ field: 'allow_sms', op: 'is', value: 'Y' }).definition).toEqual({
      field: 'allow_sms',
      op: 'is',
      value: true,
    });
    expect(read({ field: 'dob', op: 'before', value: '2000-1-2' }).definition).toMatchObject({ value: '2000-01-02' });
    expect(read({ field: 'city', op: 'is', value: 'Zoe\u0308' }).definition).toMatchObject({ value: 'Zo\u00eb' });
  });

  it('may have 5 levels and 50 conditions', () => {
    expect(read(nested(5)).errors).toEqual({});
    expect(read({ any: Array(50).fill(city) }).errors).toEqual({});
  });
});

describe('an error names its place', () => {
  const at = (path: string, sent: unknown) => [path, sent] as const;
  const one = (condition: object) => ({ all: [city, condition] });
  it.each([
    at('definition', 'all'),
    at('definition', []),
    at('definition', {}),
    at('definition', { op: 'is' }),
    at('definition.all', { all: [] }),
    at('definition.any', { any: [] }),
    at('definition.any', { any: {} }),
    at('definition.not', { not: null }),
    at('definition.not.all.0', { not: { all: [5] } }),
    at('definition.any', { all: [city], any: [city] }),
    at('definition.field', { not: city, field: 'city' }),
    at('definition.all.1.field', one({ field: 'shoe_size', op: 'is', value: 1 })),
    at('definition.all.1.field', one({ field: 'udf:', op: 'known' })),
    at('definition.all.1.field', one({ field: 'constructor', op: 'known' })),
    at('definition.all.1.field', one({ field: 5, op: 'known' })),
    at('definition.all.1.op', one({ field: 'city', op: 'in', value: ['Bath'] })),
    at('definition.all.1.op', one({ field: 'city' })),
    at('definition.all.1.op', one({ field: 'visits', op: 'known' })),
    at('definition.all.1.value', one({ field: 'city', op: 'is' })),
    at('definition.all.1.value', one({ field: 'city', op: 'is', value: '  ' })),
    at('definition.all.1.value', one({ field: 'gender', op: 'starts_with', value: '' })),
    at('definition.all.1.value', one({ field: 'city', op: 'is', value: 'x'.repeat(256) })),
    at('definition.all.1.value', one({ field: 'city', op: 'is', value: ['Bath'] })),
    at('definition.all.1.value', one({ field: 'city', op: 'is', value: 'a\0b' })),
    at('definition.all.1.value', one({ field: 'city', op: 'known', value: 'Bath' })),
    at('definition.all.1.value', one({ field: 'allow_sms', op: 'is', value: 'perhaps' })),
    at('definition.all.1.value', one({ field: 'unit', op: 'in', value: 4 })),
    at('definition.all.1.value', one({ field: 'unit', op: 'in', value: [] })),
    at('definition.all.1.value', one({ field: 'unit', op: 'in', value: Array(101).fill(1) })),
    at('definition.all.1.value.1', one({ field: 'unit', op: 'in', value: [1, 'x'] })),
    at('definition.all.1.value.0', one({ field: 'unit', op: 'in', value: [0] })),
    at('definition.all.1.value', one({ field: 'visits', op: 'at_least', value: 'many' })),
    at('definition.all.1.value', one({ field: 'visits', op: 'at_least', value: 100_000_000_000 })),
    at('definition.all.1.value', one({ field: 'visits', op: 'between', value: [3] })),
    at('definition.all.1.value', one({ field: 'visits', op: 'between', value: [3, 2] })),
    at('definition.all.1.value.1', one({ field: 'visits', op: 'between', value: [3, null] })),
    at('definition.all.1.value', one({ field: 'dob', op: 'before', value: '2026-02-30' })),
    at('definition.all.1.value', one({ field: 'dob', op: 'before', value: '1899-12-31' })),
    at('definition.all.1.value', one({ field: 'dob', op: 'after', value: '2200-01-01' })),
    at('definition.all.1.value', one({ field: 'dob', op: 'in_last_days', value: -1 })),
    at('definition.all.1.value', one({ field: 'dob', op: 'in_last_days', value: 36_501 })),
    at('definition.all.1.value', one({ field: 'dob', op: 'in_last_days', value: 1.5 })),
    at('definition.all.1.value', one({ field: 'birthday', op: 'in_month', value: 13 })),
    at('definition.all.1.in_last_days', one({ ...city, in_last_days: 5 })),
    at('definition.all.1.unit_ids', one({ ...city, unit_ids: [5] })),
    at('definition.all.1.in_last_days', one({ field: 'last_visit', op: 'known', in_last_days: 5 })),
    at('definition.all.1.in_last_days', one({ field: 'visits', op: 'at_least', value: 1, in_last_days: -1 })),
    at('definition.all.1.unit_ids', one({ field: 'visits', op: 'at_least', value: 1, unit_ids: [] })),
    at('definition.all.1.unit_ids.0', one({ field: 'visits', op: 'at_least', value: 1, unit_ids: ['x'] })),
    at('definition.all.1.colour', one({ ...city, colour: 'red' })),
    at('definition.all.0.all.0.all.0.all.0.all.0', nested(6)),
    at('definition', { any: Array(51).fill(city) }),
  ])('%s of %j', (path, sent) => {
    const { definition, paths, errors } = read(sent);
    expect(definition).toBeUndefined();
    expect(paths).toEqual([path]);
    for (const messages of Object.values(errors)) expect(messages).toEqual([expect.stringMatching(/^[A-Z].*\.$/)]);
  });

  it('and so do several', () => {
    expect(
      read({ all: [{ field: 'x' }, { field: 'visits', op: 'at_least', value: 'y', in_last_days: 'z' }] }).paths,
    ).toEqual(['definition.all.0.field', 'definition.all.1.value', 'definition.all.1.in_last_days']);
  });
});

describe('a hostile definition is refused quickly', () => {
  const deep = (levels: number) => {
    let one: unknown = city;
    for (let n = 0; n < levels; n++) one = n % 2 ? { not: one } : { any: [one] };
    return one;
  };
  it.each([
    ['of many levels', deep(50_000)],
    ['with many conditions', { all: Array(50_000).fill(city) }],
    ['with many invalid parts', { all: Array(50_000).fill(0) }],
    ['with many empty parts', { all: Array(50_000).fill({ all: [] }) }],
    [
      'with many names',
      Object.fromEntries([['field', 'city'], ...Array.from({ length: 50_000 }, (_, n) => [`x${n}`, 1])]),
    ],
    ['with a long name', { ...city, ['x'.repeat(500_000)]: 1 }],
    ['with many ids', { field: 'unit', op: 'in', value: Array(50_000).fill(1) }],
    ['with a long text', { field: 'city', op: 'is', value: 'e\u0301'.repeat(300_000) }],
  ])('%s', (_, sent) => {
    const begin = process.cpuUsage();
    const { definition, errors } = read(sent);
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1000).toBeLessThan(200);
    expect(definition).toBeUndefined();
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  });
});
