import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Chunk {
  file: string;
  isDynamicEntry?: boolean;
  imports?: string[];
}

const folder = 'dist/dashboard';
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(`${folder}/.vite/manifest.json`, 'utf8'));

/** A chunk and all that it can't begin without. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const other of chunk.imports ?? []) withImports(other, found);
  return found;
}

/** As the service sends them. */
const kilobytes = (files: Iterable<string>, compressed: 'gz' | 'br') =>
  [...files].reduce((sum, file) => sum + statSync(`${folder}/${file}.${compressed}`).size, 0) / 1000;

const first = withImports('index.html');
const pages = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);

describe('the dashboard’s JavaScript', () => {
  it('is under 300 kB for the first load, gzipped', () => {
    expect(kilobytes(first, 'gz')).toBeGreaterThan(50);
    expect(kilobytes(first, 'gz')).toBeLessThan(300);
  });

  it('is under 300 kB including the code of any page, as sent to browsers', () => {
    expect(pages.length).toBeGreaterThan(15);
    for (const page of pages)
      expect(kilobytes(new Set([...first, ...withImports(page)]), 'br'), page).toBeLessThan(300);
  });

  it('of a page is not in the first load', () => {
    for (const page of pages) expect([...first], page).not.toContain(manifest[page]?.file);
  });
});
