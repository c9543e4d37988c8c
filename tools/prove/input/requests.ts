import type { Random } from '../../../src/shared/random.ts';
import { adminToken } from '../../bench/load/service.ts';
import type { Operation, Shape } from './document.ts';
import { type Code, type Ground, password, type Visitor } from './ground.ts';
import {
  bombs,
  breakages,
  deep,
  Literal,
  methods,
  nastyHeaders,
  nastyName,
  nastyPiece,
  nastyText,
  nastyValue,
  strangeTargets,
  unfinished,
} from './nastiness.ts';
import type { Outgoing } from './sending.ts';

/** A request that is being made up. */
export interface Draft {
  operation: Operation;
  method: string;
  path: string[];
  /** What is sent, by name: in the body or the query. */
  input: unknown;
  inBody: boolean;
  headers: Map<string, string>;
  /** Whether we may be hung up on, having sent more than anybody wants. */
  isTooMuch: boolean;
  /** In words, what is wrong with it. */
  changes: string[];
  /** The one whom the request is about, if so. */
  visitor: Visitor | undefined;
  /** What becomes of the body's text, once that is known. */
  spoil?: (text: Buffer) => Buffer;
  target?: string;
  breakage?: string;
}

export interface Made extends Draft {
  outgoing: Outgoing;
}

/** Of a hundred, so many are left right, and so many have one thing changed: these get the farthest. So many are broken below HTTP. */
const share = { right: 15, light: 55, broken: 7 };

export function makeRequest(chance: Random, ground: Ground, operation: Operation): Made {
  const draft = rightRequest(chance, ground, operation);
  const roll = chance.below(100);
  const changes = roll < share.right ? 0 : roll < share.right + share.light ? 1 : chance.between(2, 6);
  for (let count = 0; count < changes; count++) {
    const { name, apply } = chance.weighted(mutations, ({ weight }) => weight);
    if (apply(draft, chance, ground) !== false) draft.changes.push(name);
  }
  if (chance.percent(share.broken)) draft.breakage = chance.pick(Object.keys(breakages));
  if (draft.breakage) draft.changes.push(draft.breakage);
  const outgoing = written(draft, chance);
  return { ...draft, outgoing };
}

/** A right request, but for what it sends. */
export function requestWith(
  chance: Random,
  ground: Ground,
  operation: Operation,
  input: object,
  inBody: boolean,
): Outgoing {
  return written({ ...rightRequest(chance, ground, operation), input, inBody }, chance);
}

/** What the document says would be right, about what is there. */
function rightRequest(chance: Random, ground: Ground, operation: Operation): Draft {
  const isSession = operation.path.startsWith('/admin/v1/session');
  const visitor = isSession ? chance.pick(ground.visitors) : undefined;
  const values = new Values(chance, ground, operation, visitor);
  const path = operation.path.split('/').map((part, at, all) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? part : String(values.inPath(name, all[at - 1] ?? ''));
  });
  const input = chance.once(2) ? values.settle(operation.example) : values.sample(operation.input, '');
  const headers = new Map([
    ['host', new URL(ground.service.url).host],
    // Each visitor comes from elsewhere, so that one who is slowed down does not keep the others.
    ['x-forwarded-for', visitor ? `10.0.${visitor.id % 250}.${chance.below(250)}` : '192.0.2.1'],
  ]);
  authorize(headers, chance, ground, operation, visitor);
  const inBody = operation.hasBody || chance.percent(15);
  if (operation.takesKey && chance.percent(25)) headers.set('idempotency-key', `key-${chance.below(500)}`);
  return { operation, method: operation.method, path, input, inBody, headers, visitor, isTooMuch: false, changes: [] };
}

function authorize(
  headers: Map<string, string>,
  chance: Random,
  ground: Ground,
  { path }: Operation,
  visitor: Visitor | undefined,
): void {
  const bySession = (user: Visitor | undefined) => {
    headers.set('cookie', `regulars_session=${user?.secret}`);
    headers.set('sec-fetch-site', 'same-origin');
  };
  if (path.startsWith('/v1/')) headers.set('authorization', `Bearer ${ground.account.token}`);
  else if (visitor && chance.percent(95)) bySession(visitor);
  else if (path.startsWith('/admin/v1/') && chance.percent(90)) headers.set('authorization', `Bearer ${adminToken}`);
  else bySession(chance.pick(Object.values(ground.users)));
}

/** Right values for the fields of one request. */
class Values {
  readonly #chance: Random;
  readonly #ground: Ground;
  readonly #operation: Operation;
  readonly #visitor: Visitor | undefined;
  readonly #code: Code | undefined;

  constructor(chance: Random, ground: Ground, operation: Operation, visitor: Visitor | undefined) {
    this.#chance = chance;
    this.#ground = ground;
    this.#operation = operation;
    this.#visitor = visitor;
    const wanted = operation.path.endsWith('/unassign');
    const codes = ground.codes.filter(({ assigned }) => assigned === wanted);
    this.#code = codes.length > 0 ? chance.pick(codes) : undefined;
  }

  inPath(name: string, before: string): number {
    const { path, method } = this.#operation;
    const ground = this.#ground;
    // Our own account may be changed (its clock, say), but not deleted.
    if (name === 'account_id')
      return path === '/admin/v1/accounts/{account_id}' && method === 'DELETE'
        ? ground.pick(this.#chance, 'spare_account_id')
        : ground.account.id;
    if (name === 'unique_code_group_id' && path.endsWith('/assign')) return this.#code?.unique_code_group_id ?? 0;
    return ground.pick(this.#chance, name === 'id' ? before : name);
  }

  /** An example, with what is there in place of what the example says. */
  settle(example: unknown, name = ''): unknown {
    const known = this.#known(name, example);
    if (known !== undefined) return known;
    if (Array.isArray(example)) return example.map((one) => this.settle(one, `${name}[]`));
    if (typeof example !== 'object' || example === null) return example;
    return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, this.settle(value, key)]));
  }

  /** What a shape allows: all that is needed, and some of the rest. */
  sample(shape: Shape, name: string, depth = 0): unknown {
    const chance = this.#chance;
    if (shape.enum) return chance.pick(shape.enum);
    const known = this.#known(name, shape.examples?.[0]);
    if (known !== undefined) return known;
    if (shape.type === 'object') {
      const fields = Object.entries(shape.properties ?? {}).filter(
        ([key]) => shape.required?.includes(key) || (!left.has(`${name}.${key}`) && chance.percent(depth ? 50 : 30)),
      );
      return Object.fromEntries(
        fields.map(([key, field]) => [key, this.sample(field, key === 'id' ? `${name}.id` : key, depth + 1)]),
      );
    }
    if (shape.type === 'array')
      return Array.from({ length: chance.between(1, 2) }, () => this.sample(shape.items ?? {}, `${name}[]`, depth + 1));
    if (shape.type === 'boolean') return chance.once(2);
    return shape.examples?.[0] ?? (shape.type === 'string' ? 'text' : 1);
  }

  #known(name: string, example: unknown): unknown {
    const [chance, ground, { path }] = [this.#chance, this.#ground, this.#operation];
    switch (name) {
      case 'account_id':
        return ground.account.id;
      case 'account_ids':
        return [ground.account.id];
      case 'contact_ids':
        return [ground.pick(chance, 'contact_id')];
      case 'unit_id':
      case 'contact_id':
      case 'folder_id':
      case 'group_id':
      case 'user_id':
        return ground.pick(chance, name);
      case 'units[].id':
        return ground.pick(chance, 'unit_id');
      case 'udfs[].id':
        return ground.pick(chance, 'udfs');
      case 'source_id':
        return path.startsWith('/v1/contact') ? ground.pick(chance, 'sources') : 3;
      case 'category_id':
        return ground.pick(chance, 'feedback_categories');
      case 'booking_enquiry_source_id':
        return chance.pick([1, 9, 10]);
      case 'unique_code_group_id':
      case 'unique_code':
        return path.startsWith('/v1/purchases') ? undefined : this.#code?.[name];
      case 'name':
        return path === '/v1/contact' ? chance.pick(['Newsletter', 'VIP']) : ground.fresh('Name');
      case 'email':
        if (this.#visitor) return this.#visitor.email;
        if (path === '/v1/contacts' && ground.emails.length > 0) return chance.pick(ground.emails);
        return path.includes('users')
          ? `${ground.fresh('u').replace(' ', '')}@gmail.com`
          : `guest${chance.below(300)}@gmail.com`;
      case 'mobile_number':
        return `0770${String(chance.below(300)).padStart(7, '0')}`;
      case 'password':
      case 'current_password':
        return password;
      case 'domain':
        return `${ground.fresh('d').replace(' ', '')}.co.uk`;
      case 'booking_reference':
        return ground.bookings.length > 0 && chance.once(2)
          ? chance.pick(ground.bookings)
          : path === '/v1/bookings'
            ? ground.bookings[0]
            : `B-${chance.below(500)}`;
      case 'transaction_reference':
      case 'stay_reference':
        return `R-${chance.below(500)}`;
      case 'expires_at':
        return '2999-01-01 00:00:00';
      case 'count':
        return chance.between(1, 20);
      case 'from':
      case 'start_date':
        return '2026-02-01';
      case 'to':
      case 'end_date':
        return '2026-03-31';
      case 'page':
        return chance.between(1, 3);
      default:
        return example === undefined || typeof example === 'object' ? undefined : example;
    }
  }
}

/** What is only right together with something else, and so not made up by itself. */
const left = new Set(['.codes', '.group_id', '.before', 'groups[].id', '.format', '.waiting_for']);

interface Mutation {
  name: string;
  weight: number;
  /** False: there was nothing to change. */
  apply(draft: Draft, chance: Random, ground: Ground): unknown;
}

const mutations: Mutation[] = [
  {
    name: 'a value replaced',
    weight: 45,
    apply: (draft, chance) => {
      const place = placeIn(draft, chance);
      if (!place) return false;
      place.holder[place.key] = nastyValue(chance, formatOf(draft.operation.input, place.names));
    },
  },
  {
    name: 'a value of a neighbour’s',
    weight: 3,
    apply: (draft, chance, ground) => {
      const place = placeIn(draft, chance);
      if (place) place.holder[place.key] = ground.neighbour.id;
      else draft.headers.set('authorization', `Bearer ${ground.neighbour.token}`);
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
      // Assigned, some of these names would do something else.
      Object.defineProperty(draft.input, nastyName(chance), {
        value: nastyValue(chance),
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
      const [name = nastyName(chance)] = Object.keys(draft.input).slice(-1);
      const pair = `${JSON.stringify(name)}:${json(nastyValue(chance))}`;
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
      // Ten thousand of what is long already would be too much even for us; and the first alone is changed further.
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
      draft.input = chance.once(2) ? nastyValue(chance) : [draft.input];
      draft.inBody = true;
    },
  },
  {
    name: 'another piece of the path',
    weight: 8,
    apply: (draft, chance) => {
      const pieces = draft.operation.path.split('/').flatMap((part, at) => (part.startsWith('{') ? [at] : []));
      if (pieces.length === 0) return false;
      draft.path[chance.pick(pieces)] = nastyPiece(chance);
    },
  },
  {
    name: 'another path',
    weight: 2,
    apply: (draft, chance) => {
      if (chance.once(2)) draft.target = chance.pick(strangeTargets);
      else draft.path.splice(chance.between(1, draft.path.length), chance.below(2), nastyPiece(chance));
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
      const name = chance.pick(Object.keys(nastyHeaders));
      draft.headers.set(name, chance.pick(nastyHeaders[name] ?? []));
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
    apply: ({ headers }, chance, ground) => {
      headers.set('authorization', `Bearer ${chance.pick([adminToken, ground.account.token, ground.neighbour.token])}`);
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
    apply: (draft, chance) => spoil(draft, (text) => text.subarray(0, chance.below(text.length + 1))),
  },
  {
    name: 'bytes that are no text',
    weight: 3,
    apply: (draft, chance) =>
      spoil(draft, (text) => {
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
      spoil(draft, (text) => {
        const rubbish = Buffer.from(
          chance.pick(['\ufeff', '\u0000', '}', ']', ',', ' '.repeat(900_000), '//', '{}', '\n\n', ")]}'"]),
        );
        return Buffer.concat(chance.once(2) ? [rubbish, text] : [text, rubbish]);
      }),
  },
  {
    name: 'a body of a megabyte and more',
    weight: 0.5,
    apply: (draft, chance) => {
      draft.isTooMuch = true;
      const letter = chance.pick(['a', '[', '"', '\u{1f600}', '{"a":']);
      spoil(draft, () =>
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
      spoil(draft, (text) => (chance.once(4) ? text : (bombs()[at] ?? text)));
    },
  },
];

function spoil(draft: Draft, change: (text: Buffer) => Buffer): void {
  const before = draft.spoil;
  draft.inBody = true;
  draft.spoil = before ? (text) => change(before(text)) : change;
}

type Holder = Record<string, unknown>;

const isHolder = (value: unknown): value is Holder =>
  typeof value === 'object' && value !== null && !(value instanceof Literal);

const isObject = (value: unknown): value is Holder => isHolder(value) && !Array.isArray(value);

interface Place {
  holder: Holder;
  key: string;
  names: string[];
}

/** Everywhere that a value stands; of a long list, at its start. */
function placesOf(value: unknown, names: string[] = []): Place[] {
  if (!isHolder(value)) return [];
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

/** JSON, and what stands in for it. */
function json(value: unknown): string {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}:${json(one)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}

const longestQuery = 6000;

/** A list in one of the ways that queries have for it, and in some that they have not. */
function query(input: unknown, chance: Random): string {
  if (!isHolder(input)) return encodeURIComponent(json(input).toWellFormed()).slice(0, longestQuery);
  const encode = (text: string) => encodeURIComponent(text.toWellFormed());
  const text = (value: unknown) => (typeof value === 'string' ? value : json(value));
  const pairs = Object.entries(input).flatMap(([name, value]) => {
    if (!isHolder(value)) return [[name, text(value)]];
    const key = chance.pick(['', '[]', '[0]', '[a]', '[__proto__]', '[][]']);
    return Object.values(value)
      .slice(0, 50)
      .map((one) => [`${name}${Array.isArray(value) && chance.percent(70) ? '[]' : key}`, text(one)]);
  });
  if (pairs.length > 0 && chance.once(20)) pairs.push([pairs[0]?.[0] ?? '', nastyText(chance)]);
  return pairs
    .map(([name = '', value = '']) => `${encode(name)}=${encode(value)}`)
    .join('&')
    .slice(0, longestQuery);
}

function written(draft: Draft, chance: Random): Outgoing {
  const { method, path, input, inBody, headers, spoil: change, breakage } = draft;
  const isEmpty = isHolder(input) && Object.keys(input).length === 0;
  const text = Buffer.from(inBody && !(isEmpty && !draft.operation.hasBody) ? json(input) : '');
  const body = change ? change(text) : text;
  const asked = inBody ? '' : query(input, chance);
  const target = draft.target ?? `${path.join('/') || '/'}${asked && `?${asked}`}`;
  if (body.length > 0 && !headers.has('content-type')) headers.set('content-type', 'application/json');
  // What is chunked by mistake has no length.
  if (!headers.has('transfer-encoding') && (body.length > 0 || method !== 'GET'))
    headers.set('content-length', String(body.length));
  if (body.length > 1_000_000) draft.isTooMuch = true;
  const list = [...headers];
  const outgoing: Outgoing = { method, target, headers: list, body };
  // What a decent client would not send goes over the wire as it is.
  const isUndecent =
    /[^\x21-\x7e]/.test(target) ||
    headers.get('host') === '' ||
    headers.has('transfer-encoding') ||
    headers.has('expect') ||
    headers.has('upgrade');
  if (!breakage && !isUndecent) return outgoing;
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...list.map(([name, value]) => `${name}: ${value}`),
    ...(breakage === 'several at once, then rubbish' ? [] : ['connection: close']),
  ];
  const wire = breakages[breakage ?? '']?.(head, body, chance) ?? [
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    body,
  ];
  return { ...outgoing, wire, ...(unfinished.has(breakage ?? '') ? { endAfterMs: 20 } : {}) };
}
