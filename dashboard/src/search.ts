/**
 * Declares the query parameters of a page: `searchOf({ page: id, search: text, consent: oneOf('email', 'sms') })`.
 * Other parameters and invalid values are removed.
 */
type Reader<T> = (raw: unknown) => T | undefined;
type Search<Shape> = { [Name in keyof Shape]?: Shape[Name] extends Reader<infer T> ? T : never };

export function searchOf<Shape extends Record<string, Reader<unknown>>>(shape: Shape) {
  // All parameters are optional in links. The type of the argument declares this.
  return (raw: Search<Shape>): Search<Shape> => {
    const search: Record<string, unknown> = {};
    // Include undefined values, because the router merges this object into the URL.
    for (const [name, read] of Object.entries(shape)) search[name] = read(raw[name]);
    return search as Search<Shape>;
  };
}

export const text: Reader<string> = (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined);

/** An object as JSON. */
export const json: Reader<string> = (raw) => {
  try {
    const value: unknown = JSON.parse(String(raw));
    return typeof value === 'object' && value !== null ? String(raw) : undefined;
  } catch {
    return undefined;
  }
};

/** An id or a page. */
export const id: Reader<number> = (raw) =>
  Number.isSafeInteger(Number(raw)) && Number(raw) >= 1 ? Number(raw) : undefined;

export const day: Reader<string> = (raw) =>
  typeof raw === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(raw) && !Number.isNaN(Date.parse(raw)) ? raw : undefined;

export const oneOf =
  <T extends string>(...values: T[]): Reader<T> =>
  (raw) =>
    values.find((value) => value === raw);

/** Plain query strings. The router's default puts quotes around texts that look like numbers. */
export const parseSearch = (query: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(query));

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}
