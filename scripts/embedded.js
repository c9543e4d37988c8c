// Warns if the registry has a newer embedded PostgreSQL than the pinned one. It never fails, because a new release
// must not block an unrelated change.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { optionalDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
for (const [name, pinned] of Object.entries(optionalDependencies)) {
  const { stdout } = spawnSync('npm', ['view', name, 'dist-tags.latest', '--fetch-retries=0'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const latest = stdout?.trim();
  if (!latest) process.stdout.write(`*** SKIPPED: the registry did not return which ${name} is the latest.\n`);
  else if (latest === pinned) process.stdout.write(`${name} ${pinned} is the latest.\n`);
  else
    process.stdout.write(
      `\n*** NEWER: the latest ${name} is ${latest}, and ${pinned} is pinned.\n` +
        '*** Upgrade all four in package.json, run the tests, and write its libraries\u2019 versions into docs/security.md.\n\n',
    );
}
