import type { Random } from '../../../src/shared/random.ts';
import { type Draft, isContainer } from './draft.ts';
import { hostileText, Literal } from './hostile/values.ts';
import { breakages, unfinished } from './hostile/wire.ts';
import type { Outgoing } from './sending.ts';

/** JSON text. A literal is inserted as it is. */
export function json(value: unknown): string {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}:${json(one)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}

const longestQuery = 6000;

/** The query string. Lists are written in valid and in invalid ways. */
function query(input: unknown, chance: Random): string {
  if (!isContainer(input)) return encodeURIComponent(json(input).toWellFormed()).slice(0, longestQuery);
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  const text = (value: unknown) => (typeof value === 'string' ? value : json(value));
  const pairs = Object.entries(input).flatMap(([name, value]) => {
    if (!isContainer(value)) return [[name, text(value)]];
    const key = chance.pick(['', '[]', '[0]', '[a]', '[__proto__]', '[][]']);
    return Object.values(value)
      .slice(0, 50)
      .map((one) => [`${name}${Array.isArray(value) && chance.percent(70) ? '[]' : key}`, text(one)]);
  });
  if (pairs.length > 0 && chance.once(20)) pairs.push([pairs[0]?.[0] ?? '', hostileText(chance)]);
  return pairs
    .map(([name = '', value = '']) => `${encoded(name)}=${encoded(value)}`)
    .join('&')
    .slice(0, longestQuery);
}

export function encode(draft: Draft, chance: Random): Outgoing {
  const { method, path, input, inBody, headers, corrupt: change, breakage } = draft;
  const isEmpty = isContainer(input) && Object.keys(input).length === 0;
  const text = Buffer.from(inBody && !(isEmpty && !draft.operation.hasBody) ? json(input) : '');
  const body = change ? change(text) : text;
  const asked = inBody ? '' : query(input, chance);
  const target = draft.target ?? `${path.join('/') || '/'}${asked && `?${asked}`}`;
  if (body.length > 0 && !headers.has('content-type')) headers.set('content-type', 'application/json');
  // A chunked request has no length.
  if (!headers.has('transfer-encoding') && (body.length > 0 || method !== 'GET'))
    headers.set('content-length', String(body.length));
  if (body.length > 1_000_000) draft.isTooMuch = true;
  const list = [...headers];
  const outgoing: Outgoing = { method, target, headers: list, body };
  // Node’s client refuses to send these, so the bytes are written directly.
  const isRaw =
    /[^\x21-\x7e]/.test(target) ||
    headers.get('host') === '' ||
    headers.has('transfer-encoding') ||
    headers.has('expect') ||
    headers.has('upgrade');
  if (!breakage && !isRaw) return outgoing;
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
