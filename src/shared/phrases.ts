/** `unit_id` is "unit id" in a sentence. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `booking_source` → `BookingSource` */
export function pascal(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** "1 item", "2 items" */
export function withCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "a, b or c" */
export function oneOf(choices: readonly unknown[]): string {
  const shown = choices.map(String);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}
