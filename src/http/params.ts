export type Params = Record<string, unknown>;

/** A query's names and values. A repeated name, `name[]` and `name[0]` make a list. */
export function parseQuery(query: string): Params {
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

/** What was sent, from the query or the JSON body; a name given in both takes the query's value. */
export function mergeParams(query: unknown, body: unknown): Params {
  if (body === undefined || body === null) return query as Params;
  return { ...(body as Params), ...(query as Params) };
}

export class Malformed extends Error {
  override name = 'Malformed';
}

export class NotJson extends Error {
  override name = 'NotJson';
}

/** The JSON body as an object. No body at all is fine: every field of it is then absent. */
export function parseBody(text: string): Params | undefined {
  if (text.trim() === '') return undefined;
  let parsed: unknown;
  try {
    // Some clients put a byte-order mark in front.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Malformed(`The body is not valid JSON${where(error as Error, text)}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Malformed('The body must be a JSON object: {"name": "value", …}.');
  }
  return parsed as Params;
}

/** The parser's own message quotes the body, which is the guest's business; its position is what helps. */
function where(error: Error, text: string): string {
  const position = Number(/position (\d+)/.exec(error.message)?.[1]);
  if (!Number.isInteger(position)) return '';
  const before = text.slice(0, position).split('\n');
  return `: look at line ${before.length}, character ${(before.at(-1)?.length ?? 0) + 1}`;
}
