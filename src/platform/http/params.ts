import { isUtf8 } from 'node:buffer';
import { isRecord, propertiesOf } from '../../shared/record.ts';
import { jsonErrorPosition } from '../internals/node.ts';

export type Params = Record<string, unknown>;

/** Most requests have no query. They share one object. */
const noParams: Params = Object.freeze(Object.create(null));

/** Parses a query. A repeated name, `name[]` and `name[0]` make a list. */
export function parseQuery(query: string): Params {
  if (query === '') return noParams;
  const params: Params = Object.create(null);
  for (const [key, value] of new URLSearchParams(query)) {
    const name = key.replace(/\[\d*\]$/, '');
    const known = params[name];
    if (known === undefined) params[name] = name === key ? value : [value];
    else if (Array.isArray(known)) known.push(value);
    else params[name] = [known, value];
  }
  return params;
}

/** Merges query and body. For a name in both, the value of the query is used. */
export function mergeParams(query: unknown, body: unknown): Params {
  if (body === undefined || body === null) return propertiesOf(query);
  if (query === noParams || isEmpty(propertiesOf(query))) return propertiesOf(body);
  return { ...propertiesOf(body), ...propertiesOf(query) };
}

function isEmpty(params: Params): boolean {
  for (const _ in params) return false;
  return true;
}

export class Malformed extends Error {
  override name = 'Malformed';
}

export class NotJson extends Error {
  override name = 'NotJson';
}

/** Accepts any JSON content type in UTF-8, uncompressed. Other bodies would be stored with wrong characters. */
export function checkBodyHeaders(headers: Record<string, string | string[] | undefined>): void {
  // The usual case.
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return;
  const type = String(headers['content-type'] ?? 'application/json');
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^(application\/([\w.+-]+\+)?|text\/)json\s*(;|$)/i.test(type)) throw new NotJson();
  if (!/^utf-?8$/i.test(charset)) throw new NotJson(`The body must be in UTF-8, not in ${charset.slice(0, 20)}.`);
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity') throw new NotJson('The body must not be compressed.');
}

/** The JSON body as an object. A missing body is an object without fields. */
export function parseBody(body: Buffer): Params | undefined {
  if (!isUtf8(body)) throw new Malformed('The body is not valid UTF-8.');
  // Some clients send a byte-order mark.
  const text = body.toString('utf8', body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') return undefined;
    throw new Malformed(`The body is not valid JSON${errorPosition(error, text)}.`);
  }
  if (!isRecord(parsed) || Array.isArray(parsed)) {
    throw new Malformed('The body must be a JSON object: {"name": "value", …}.');
  }
  countElements(parsed, deepest, 0);
  return parsed;
}

/** JSON.parse accepts any depth, but later recursive steps do not. No valid body is ten levels deep. */
const deepest = 100;

/** Elements of lists and members of objects in total. A body of 1 MiB with ordinary names has fewer. */
const mostElements = 100_000;

/** Counts the elements, starting at `before`. Throws if there are too many, or too many levels. */
function countElements(value: Params, levels: number, before: number): number {
  if (levels === 0) throw new Malformed(`The body is nested more than ${deepest} levels deep.`);
  let count = before;
  // Runs for every body, so it makes no list of the values.
  if (Array.isArray(value)) {
    checkElements(count + value.length);
    for (const one of value) count = countElement(one, levels, count);
  } else for (const name in value) count = countElement(value[name], levels, count);
  return count;
}

function countElement(value: unknown, levels: number, before: number): number {
  checkElements(before + 1);
  return isRecord(value) ? countElements(value, levels - 1, before + 1) : before + 1;
}

function checkElements(count: number): void {
  if (count > mostElements)
    throw new Malformed(
      `The body has more than ${mostElements.toLocaleString('en')} elements. Send it in smaller parts.`,
    );
}

/** The message of JSON.parse quotes the body, which can contain a guest's data. Only the position is used. */
function errorPosition(error: unknown, text: string): string {
  const position = jsonErrorPosition(error);
  if (position === undefined) return '';
  const before = text.slice(0, position).split('\n');
  return `: look at line ${before.length}, character ${(before.at(-1)?.length ?? 0) + 1}`;
}
