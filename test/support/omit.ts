/** A copy of the object without these fields. */
export const omit = (from: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
