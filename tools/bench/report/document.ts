import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/performance.md';
const folder = 'docs/performance';

/** Writes `docs/performance/<name>`. */
export function writeFile(name: string, content: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}`, content);
}

export const writeJson = (name: string, content: unknown) =>
  writeFile(name, `${JSON.stringify(content, figures, 2)}\n`);

/** Rounds numbers to five digits. */
const figures = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

/** Replaces the text between the page's markers of this name. */
export function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run bench -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks the markers of ${name}:\n${begin}\n${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content.trim()}\n\n${text.slice(to)}`;
}

export function rewrite(name: string, content: string): void {
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), name, content));
}
