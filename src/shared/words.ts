/** `purchases.0.unit_id` is "unit id" in a sentence: the last name of the path, without its underscores. */
export function words(path: string): string {
  const names = path.split('.').filter((part) => !/^\d+$/.test(part));
  return (names.at(-1) ?? path).replaceAll('_', ' ');
}

/** "a, b or c" */
export function oneOf(choices: readonly unknown[]): string {
  const shown = choices.map(String);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}
