import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'dashboard/README.md', 'deploy/README.md'],
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md') && name !== 'licences.md')
      .map((name) => join(folder, name)),
  ),
];
const read = (page: string) => readFileSync(page, 'utf8');
const matches = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, group = '']) => group);

/** The anchor that a forge gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string) => matches(read(page), /^#{1,6} (.+)$/gm).map((text) => anchorOf(text));

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

describe.each(pages)('%s', (page) => {
  const text = read(page);
  it('names only paths that exist', () => {
    const paths = matches(
      text,
      /`((?:src|test|tools|docs|deploy|migrations|scripts|dashboard|\.ci|\.github)\/[^`\s*…<>{}:]*)/g,
    );
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
  it('links only to files and headings that exist', () => {
    const wrong = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });
  it('names only npm scripts that exist', () => {
    const names = matches(text, /npm run (?:--silent )?([a-z:]+)/g);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('the commands of `npx regulars` in the docs exist', () => {
  const commands = pages.flatMap((page) => matches(read(page), /npx regulars ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g));
  expect(commands.length).toBeGreaterThan(10);
  const helpOf = (...words: string[]) =>
    spawnSync('node', ['dist/cli/regulars.js', ...words, '--help'], { encoding: 'utf8' }).stdout;
  const namesIn = (help: string) => matches(help.slice(help.indexOf('Commands:')), /^ {2}([a-z][a-z-]*)/gm);
  const nouns = namesIn(helpOf());
  const unknown = [...new Set(commands)].filter((command) => {
    const [noun = '', verb] = command.split(' ');
    if (!nouns.includes(noun)) return true;
    const help = helpOf(noun);
    return verb !== undefined && help.includes('Commands:') && !namesIn(help).includes(verb);
  });
  expect(unknown).toEqual([]);
});
