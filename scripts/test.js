// Runs a suite of tests: `node scripts/test.js [fast|slow|browser|all] [arguments of vitest]`.
// In CI, up to three files that failed run once more, because shared machines stall for seconds.
// The second run is reported loudly: a file that needs it often has a fault.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What each suite passes to vitest. `npm test` runs the fast one; `.ci/run` runs all. */
const suites = {
  fast: ['--exclude', 'test/browser/**', '--exclude', 'test/**/*.slow.test.ts'],
  slow: ['.slow.test.ts'],
  browser: ['test/browser/'],
  all: [],
};

/** More failed files than this are not caused by a stall. */
const mostFilesRunAgain = 3;

const print = (text) => void process.stdout.write(`\n*** ${text}\n`);

/** The exit status of a run, and the files with a failed test. */
function run(args) {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-results-'));
  try {
    const outputFile = join(folder, 'results.json');
    const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
    const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...report, ...args], {
      stdio: 'inherit',
    });
    if (status === 0) return { status, failed: [] };
    const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
    const failed = testResults.filter((file) => file.status === 'failed').map((file) => relative('.', file.name));
    return { status: status ?? 1, failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [name = 'fast', ...more] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) {
  print(`There is no suite "${name}". The suites are ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}
const first = run([...suite, ...more]);
process.exitCode = first.status;
if (process.env.CI && first.failed.length > 0 && first.failed.length <= mostFilesRunAgain) {
  const names = first.failed.join(', ');
  print(`FAILED, and run once more: ${names}`);
  const second = run(first.failed);
  process.exitCode = second.status;
  if (second.status === 0) print(`PASSED ONLY IN THE SECOND RUN: ${names}`);
}
