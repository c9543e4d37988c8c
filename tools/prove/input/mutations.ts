import type { Random } from '../../../src/shared/random.ts';
import { adminToken } from '../../bench/load/service.ts';
import type { Shape } from './document.ts';
import { type Container, type Draft, isContainer, isObject } from './draft.ts';
import { json } from './encode.ts';
import type { Fixture } from './fixture.ts';
import { hostileHeaders, methods, strangeTargets } from './hostile/headers.ts';
import { deep, hostileName, hostilePathPart, hostileValue, Literal } from './hostile/values.ts';
import { bombs } from './hostile/wire.ts';

export interface Mutation {
  name: string;
  weight: number;
  /** Returns false if there was nothing to change. */
  apply(draft: Draft, chance: Random, fixture: Fixture): unknown;
}

export const mutations: Mutation[] = [
  {
    name: 'a value replaced',
    weight: 45,
    apply: (draft, chance) => {
      const place = placeIn(draft, chance);
      if (!place) return false;
      place.holder[place.key] = hostileValue(chance, formatOf(draft.operation.input, place.names));
    },
  },
  {
    name: 'a value of a neighbour’s',
    weight: 3,
    apply: (draft, chance, fixture) => {
      const place = placeIn(draft, chance);
      if (place) place.holder[place.key] = fixture.neighbour.id;
      else draft.headers.set('authorization', `Bearer ${fixture.neighbour.token}`);
    },
  },
  {
    name: 'a field left out',
    weight: 8,
    apply: (draft, chance) => {
      const place = placeIn(draft, chance);
      if (!place) return false;
      if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
      else delete place.holder[place.key];
    },
  },
  {
    name: 'a field too many',
    weight: 6,
    apply: (draft, chance) => {
      if (!isObject(draft.input)) return false;
      // An assignment to a name like __proto__ would not create a property.
      Object.defineProperty(draft.input, hostileName(chance), {
        value: hostileValue(chance),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    },
  },
  {
    name: 'a name twice',
    weight: 5,
    apply: (draft, chance) => {
      if (!isObject(draft.input)) return false;
      const [name = hostileName(chance)] = Object.keys(draft.input).slice(-1);
      const pair = `${JSON.stringify(name)}:${json(hostileValue(chance))}`;
      const text = json(draft.input).slice(1, -1);
      const both = chance.once(2) ? [text, pair] : [pair, text];
      draft.input = new Literal(`{${both.filter(Boolean).join(',')}}`);
    },
  },
  {
    name: 'a list of thousands',
    weight: 2,
    apply: (draft, chance) => {
      const places = placesOf(draft.input).filter(({ holder, key }) => Array.isArray(holder[key]));
      const place = places.length > 0 ? chance.pick(places) : placeIn(draft, chance);
      if (!place) return false;
      const value = place.holder[place.key];
      const first = Array.isArray(value) ? (value[0] ?? {}) : value;
      // Ten thousand long elements would be too many. Only the first element is changed further.
      const one = json(first).length > 200 ? 1 : first;
      const others = Array(chance.pick([999, 1000, 9999])).fill(new Literal(json(one)));
      place.holder[place.key] = [one, ...others];
    },
  },
  {
    name: 'wrapped',
    weight: 3,
    apply: (draft, chance) => {
      const place = placeIn(draft, chance);
      if (!place) return false;
      const value = place.holder[place.key];
      place.holder[place.key] = chance.pick([[value], { 0: value }, [[value]], { id: value }, [value, value]]);
    },
  },
  {
    name: 'very deep',
    weight: 1,
    apply: (draft, chance) => {
      const levels = chance.pick([1000, 10_000, 100_000]);
      const place = placeIn(draft, chance);
      if (place && chance.once(2)) place.holder[place.key] = deep(levels, chance.once(2));
      else if (isObject(draft.input))
        draft.input = new Literal(
          `{"deep":${deep(levels, chance.once(2)).text},${json(draft.input).slice(1) === '}' ? '"x":1}' : json(draft.input).slice(1)}`,
        );
    },
  },
  {
    name: 'no object at all',
    weight: 2,
    apply: (draft, chance) => {
      draft.input = chance.once(2) ? hostileValue(chance) : [draft.input];
      draft.inBody = true;
    },
  },
  {
    name: 'another piece of the path',
    weight: 8,
    apply: (draft, chance) => {
      const pieces = draft.operation.path.split('/').flatMap((part, at) => (part.startsWith('{') ? [at] : []));
      if (pieces.length === 0) return false;
      draft.path[chance.pick(pieces)] = hostilePathPart(chance);
    },
  },
  {
    name: 'another path',
    weight: 2,
    apply: (draft, chance) => {
      if (chance.once(2)) draft.target = chance.pick(strangeTargets);
      else draft.path.splice(chance.between(1, draft.path.length), chance.below(2), hostilePathPart(chance));
    },
  },
  {
    name: 'another method',
    weight: 2,
    apply: (draft, chance) => {
      draft.method = chance.pick(methods);
    },
  },
  {
    name: 'another header',
    weight: 10,
    apply: (draft, chance) => {
      const name = chance.pick(Object.keys(hostileHeaders));
      draft.headers.set(name, chance.pick(hostileHeaders[name] ?? []));
    },
  },
  {
    name: 'no credential',
    weight: 1,
    apply: ({ headers }) => {
      headers.delete('authorization');
      headers.delete('cookie');
    },
  },
  {
    name: 'the wrong credential',
    weight: 1,
    apply: ({ headers }, chance, fixture) => {
      headers.set(
        'authorization',
        `Bearer ${chance.pick([adminToken, fixture.account.token, fixture.neighbour.token])}`,
      );
    },
  },
  {
    name: 'sent in the other place',
    weight: 2,
    apply: (draft) => {
      draft.inBody = !draft.inBody;
    },
  },
  {
    name: 'a body cut off',
    weight: 3,
    apply: (draft, chance) => corrupt(draft, (text) => text.subarray(0, chance.below(text.length + 1))),
  },
  {
    name: 'bytes that are no text',
    weight: 3,
    apply: (draft, chance) =>
      corrupt(draft, (text) => {
        const at = chance.below(text.length + 1);
        const bytes = chance.pick([
          'ff',
          'fe',
          'c080',
          'eda080',
          'f4908080',
          '80',
          'efbbbf',
          '00',
          '0d0a',
          'e2',
          'fffe7b00',
        ]);
        return Buffer.concat([text.subarray(0, at), Buffer.from(bytes, 'hex'), text.subarray(at + chance.below(2))]);
      }),
  },
  {
    name: 'rubbish around the body',
    weight: 2,
    apply: (draft, chance) =>
      corrupt(draft, (text) => {
        const garbage = Buffer.from(
          chance.pick(['\ufeff', '\u0000', '}', ']', ',', ' '.repeat(900_000), '//', '{}', '\n\n', ")]}'"]),
        );
        return Buffer.concat(chance.once(2) ? [garbage, text] : [text, garbage]);
      }),
  },
  {
    name: 'a body of a megabyte and more',
    weight: 0.5,
    apply: (draft, chance) => {
      draft.isTooMuch = true;
      const letter = chance.pick(['a', '[', '"', '\u{1f600}', '{"a":']);
      corrupt(draft, () =>
        Buffer.from(`{"name":"${letter.repeat(chance.pick([1_048_560, 2_000_000]) / letter.length)}"}`),
      );
    },
  },
  {
    name: 'a compressed bomb, or a lie',
    weight: 1.5,
    apply: (draft, chance) => {
      const at = chance.below(3);
      draft.headers.set('content-encoding', chance.pick(['gzip', 'deflate', 'br', 'GZIP', 'identity']));
      corrupt(draft, (text) => (chance.once(4) ? text : (bombs()[at] ?? text)));
    },
  },
];

function corrupt(draft: Draft, change: (text: Buffer) => Buffer): void {
  const before = draft.corrupt;
  draft.inBody = true;
  draft.corrupt = before ? (text) => change(before(text)) : change;
}

interface Place {
  holder: Container;
  key: string;
  names: string[];
}

/** The places of all values; of a long list, the first hundred. */
function placesOf(value: unknown, names: string[] = []): Place[] {
  if (!isContainer(value)) return [];
  return Object.keys(value)
    .slice(0, 100)
    .flatMap((key) => [{ holder: value, key, names: [...names, key] }, ...placesOf(value[key], [...names, key])]);
}

function placeIn({ input }: Draft, chance: Random): Place | undefined {
  const places = placesOf(input);
  return places.length > 0 ? chance.pick(places) : undefined;
}

function formatOf(shape: Shape, names: string[]): string | undefined {
  let at: Shape | undefined = shape;
  for (const name of names) at = at?.properties?.[name] ?? at?.items;
  return at?.format ?? formatsByName[names.at(-1) ?? ''];
}

/** The formats that the document describes in words. */
const formatsByName: Record<string, string> = { mobile_number: 'mobile', gender: 'gender', time_zone: 'time-zone' };
