import { readFileSync } from 'node:fs';
import { checksumOf, knownMigrations, type Migration } from '../../src/platform/db/migrate.ts';

interface Text {
  /** Of the repository, with which the text came. */
  commit: string;
  sha256: string;
  /** What to change in the present text, from its end to its beginning. */
  edits: { line: number; removed: number; lines: string[] }[];
}

export interface Earlier {
  name: string;
  commit: string;
  migration: Migration;
}

/** The texts of migrations that were edited after a database may have run them, oldest first. */
export function earlierTexts(): Earlier[] {
  const texts: Record<string, Text[]> = JSON.parse(readFileSync('test/platform/db/earlier-texts.json', 'utf8'));
  return Object.entries(texts).flatMap(([name, all]) => {
    const present = knownMigrations().find((one) => one.name === name);
    if (!present) throw new Error(`There is no migration ${name}.`);
    return all.map(({ commit, sha256, edits }) => {
      const lines = present.sql.split('\n');
      for (const edit of edits.toReversed()) lines.splice(edit.line, edit.removed, ...edit.lines);
      const migration = { ...present, sql: lines.join('\n') };
      if (checksumOf(migration) !== sha256) throw new Error(`${name} of ${commit} is not as it was.`);
      return { name, commit, migration };
    });
  });
}
