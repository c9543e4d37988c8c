/** The value, which must exist. A missing one is a bug, and throws here instead of being used as `undefined` later. */
export function present<T>(value: T | null | undefined, what = 'value'): T {
  if (value === undefined || value === null) throw new Error(`A ${what} is missing.`);
  return value;
}
