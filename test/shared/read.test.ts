import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { checkItems, completeItems, isComplete, reader, unlessAllDropped } from '../../src/shared/read.ts';

const read = reader(
  Type.Object({
    name: Type.String({ minLength: 2, maxLength: 5 }),
    id: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    flag: Type.Optional(Type.Boolean()),
    type: Type.Optional(Type.Enum(['text', 'date'])),
    email: Type.Optional(Type.String({ format: 'email' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    types: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 3 })),
    items: Type.Optional(Type.Array(Type.Object({ unit_id: Type.Integer(), note: Type.Optional(Type.String()) }))),
  }),
);

const value = (raw: object) => read({ name: 'Anna', ...raw }).partial;
const errors = (raw: object) => ({ ...read({ name: 'Anna', ...raw }).errors.fields });

describe('lenient reading', () => {
  it.each([12, '12', ' 12 ', '+12'])('reads %j as the integer 12', (id) => {
    expect(value({ id })).toEqual({ name: 'Anna', id: 12 });
  });
  it.each([true, 1, '1', 'true', 'TRUE'])('reads %j as true', (flag) =>
    expect(value({ flag })).toMatchObject({ flag: true }),
  );
  it.each([false, 0, '0', 'false'])('reads %j as false', (flag) =>
    expect(value({ flag })).toMatchObject({ flag: false }),
  );
  it.each([null, undefined, '', '  '])('reads %j as absent', (blank) => {
    const raw = { name: 'Anna', id: blank, flag: blank, type: blank, email: blank, types: blank, items: blank };
    expect([value(raw), errors(raw)]).toEqual([{ name: 'Anna' }, {}]);
  });
  it('accepts a number for text', () => expect(value({ name: 12345 })).toEqual({ name: '12345' }));
  it('ignores unknown and inherited fields', () => {
    expect(read(Object.assign(Object.create({ id: 5 }), { name: 'Anna', other: 1 })).partial).toEqual({ name: 'Anna' });
    expect(read(JSON.parse('{"name":"Anna","__proto__":{"id":5}}')).partial).toEqual({ name: 'Anna' });
  });
  it.each([
    ['a list', ['a', 'b']],
    ['a list in a query', 'a,b'],
  ])('accepts %s', (_, types) => expect(value({ types })).toMatchObject({ types: ['a', 'b'] }));
  it.each([
    ['2026-06-01 09:05:07', '2026-06-01 09:05:07'],
    ['2026-6-1 9:05:07', '2026-06-01 09:05:07'],
    ['2026-06-01T09:05:07Z', '2026-06-01 09:05:07Z'],
    ['2026-06-01T09:05:07.123+02:00', '2026-06-01 07:05:07Z'],
    ['2026-01-01T00:30:00-0130', '2026-01-01 02:00:00Z'],
    ['2024-02-29 00:00:00', '2024-02-29 00:00:00'],
    ['0050-01-01 00:00:00', '0050-01-01 00:00:00'],
    ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
  ])('reads the time %s as %s', (at, expected) => expect(value({ at })).toMatchObject({ at: expected }));
});

describe('invalid input', () => {
  it('names every invalid field, nested ones by their path', () => {
    expect(
      errors({
        name: 'A',
        id: 'x',
        flag: 'maybe',
        type: 'number',
        email: 'a@b',
        items: [{ unit_id: 1 }, {}, { unit_id: 'two', note: {} }, 7],
      }),
    ).toEqual({
      name: ['The name must be at least 2 characters.'],
      id: ['The id must be an integer.'],
      flag: ['The flag field must be true or false.'],
      type: ['The type must be text or date.'],
      email: ['The email must be a valid email address.'],
      'items.1.unit_id': ['The unit id field is required.'],
      'items.2.unit_id': ['The unit id must be an integer.'],
      'items.2.note': ['The note must be a string.'],
      'items.3': ['Each element of items must be an object: {"unit_id": …}.'],
    });
  });
  it.each([1.5, '1.5', 'Infinity', 1e300, '99999999999999999999', [], {}, true])('rejects %j as an integer', (id) => {
    expect(errors({ id })).toEqual({ id: ['The id must be an integer.'] });
  });
  it.each([
    [0, 'The id must be at least 1.'],
    [101, 'The id may not be greater than 100.'],
  ])('rejects numbers out of bounds: %i', (id, message) => expect(errors({ id })).toEqual({ id: [message] }));
  it.each([
    '2026-02-30 00:00:00',
    '2026-13-01 00:00:00',
    '2026-01-01 24:00:00',
    '2026-01-01 00:60:00',
    '0000-01-01 00:00:00',
    '9999-12-31T23:59:59-14:00',
    '0001-01-01T00:00:00+14:00',
    '2026-01-01T00:00:00+14:01',
    '2026-01-01T00:00:00+01:60',
    'yesterday',
  ])('rejects %s as a time', (at) => expect(Object.keys(errors({ at }))).toEqual(['at']));
  it('counts characters, not bytes or UTF-16 units', () => {
    expect(errors({ name: '🍺🍺🍺🍺🍺' })).toEqual({});
    expect(errors({ name: '🍺🍺🍺🍺🍺🍺' })).toEqual({ name: ['The name may not be greater than 5 characters.'] });
  });
  it.each(['a\0b', 'a\ud800b', '\udc00ab'])('rejects text that PostgreSQL cannot store: %j', (name) => {
    expect(errors({ name })).toEqual({ name: ['The name holds characters that are not valid text.'] });
  });
  it('names the required fields of an object, also if one of two is required', () => {
    const groups = Type.Array(
      Type.Object(
        { id: Type.Optional(Type.Integer()), name: Type.Optional(Type.String()) },
        { 'x-either': ['id', 'name'] },
      ),
    );
    const { errors: found } = reader(Type.Object({ groups, wifi: groups }))({ groups: [1], wifi: ['x'] });
    expect({ ...found.fields }).toEqual({
      'groups.0': ['Each element of groups must be an object: {"id": …} or {"name": …}.'],
      'wifi.0': ['Each element of wifi must be an object: {"id": …} or {"name": …}.'],
    });
  });
  it('accepts a list of plain values as text only at the top level, and never a list of objects', () => {
    const shape = Type.Object({ items: Type.Array(Type.Object({ tags: Type.Array(Type.String()) })) });
    const read = reader(shape);
    expect(read({ items: [{ tags: 'one' }] }).partial).toEqual({ items: [{ tags: ['one'] }] });
    expect({ ...read({ items: [{ tags: 'one,two' }] }).errors.fields }).toEqual({
      'items.0.tags': ['The tags must be an array.'],
    });
    expect({ ...read({ items: 'a,b' }).errors.fields }).toEqual({ items: ['The items must be an array.'] });
  });
  it('limits a text whose shape has no length', () => {
    expect(errors({ types: ['a'.repeat(255)] })).toEqual({});
    expect(errors({ types: ['a'.repeat(256)] })).toEqual({
      'types.0': ['The types may not be greater than 255 characters.'],
    });
  });
  it('reports a list that is too long once, without reading its elements', () => {
    expect(errors({ types: ['a', 'b', 'c', 4] })).toEqual({ types: ['The types may not have more than 3 items.'] });
    expect(errors({ types: [] })).toEqual({ types: ['The types must have at least 1 item.'] });
    expect(errors({ types: { a: 1 } })).toEqual({ types: ['The types must be an array.'] });
  });
});

describe('the result', () => {
  it('is the whole input if there are no errors', () => {
    expect(read({ name: 'Anna', items: [{ unit_id: 1 }] }).valid).toEqual({ name: 'Anna', items: [{ unit_id: 1 }] });
  });
  it.each([{}, { name: 'Anna', id: 'x' }, { name: 'Anna', items: [{}] }])('is partial with an error: %j', (raw) => {
    expect(read(raw).valid).toBeUndefined();
  });
  it('is partial as soon as a later check adds an error', () => {
    const result = read({ name: 'Anna' });
    result.errors.add('name', 'The name is taken.');
    expect([result.valid, result.partial]).toEqual([undefined, { name: 'Anna' }]);
  });
  it('keeps the other fields and the places of items', () => {
    const { partial } = read({ id: 3, flag: 'x', types: ['a', {}, 'c'], items: [7, { unit_id: 2 }] });
    expect(partial).toEqual({ id: 3, types: ['a', undefined, 'c'], items: [undefined, { unit_id: 2 }] });
  });
  it('marks items that lack a required field', () => {
    const { items } = read({ name: 'Anna', items: [{ unit_id: 1 }, { note: 'x' }, 7] }).partial;
    expect(items?.map(isComplete)).toEqual([true, false, false]);
    expect(completeItems(items)).toEqual([{ unit_id: 1 }]);
  });
  it('marks items with an invalid value in a field that the others depend on', () => {
    const Item = Type.Object({ a: Type.Optional(Type.Integer({ 'x-vital': true })), b: Type.Optional(Type.Integer()) });
    const { items } = reader(Type.Object({ items: Type.Array(Item) }))({
      items: [{}, { a: 'x' }, { b: 'x' }],
    }).partial;
    expect(items?.map(isComplete)).toEqual([true, false, true]);
  });
  it('checks incomplete items too, with their places', () => {
    const { items } = read({ name: 'Anna', items: [7, { note: 'x' }, { unit_id: 1 }] }).partial;
    const places: number[] = [];
    const checked = checkItems(items, (item, place) => {
      places.push(place);
      return isComplete(item) ? item.unit_id : undefined;
    });
    expect([places, checked]).toEqual([[1, 2], [1]]);
  });
  it.each([
    [undefined, undefined],
    [[], []],
    [[undefined], undefined],
    [['a', undefined], ['a']],
  ])('leaves of the list %j the items %j', (list: (string | undefined)[] | undefined, left) => {
    expect(unlessAllDropped(list, completeItems(list))).toEqual(left);
  });
});
