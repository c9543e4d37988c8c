/** Whether the properties of a value can be read by name. A list counts too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The properties of an object whose type is not known. Any other value has none. */
export function propertiesOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** A property of an object whose type is not known, if it is a text. */
export function textIn(value: unknown, name: string): string | undefined {
  const property = propertiesOf(value)[name];
  return typeof property === 'string' ? property : undefined;
}

/** An object with one value per key. `Object.fromEntries` loses the names of the keys. */
export function recordOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}

/** The keys of one of our own constants, whose type lists all of them. */
export function keysOf<T extends object>(constant: T): (keyof T & string)[] {
  return Object.keys(constant) as (keyof T & string)[];
}
