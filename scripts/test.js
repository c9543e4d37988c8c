// Runs the tests. In CI, on machines that stall for seconds, the files that failed run once more by themselves.
// The second run is reported loudly: a file that needs it often has a fault.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** More failures than this are not caused by a stall. */
const mostFilesRunAgain = 3;

const say = (text) => void process.stdout.write(`\n*** ${text}\n`);

/** The status of a run, and the files with a failed test. */
function run(args) {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-results-'));
  try {
    const outputFile = join(folder, 'results.json');
    const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
    const { status } = spawnSync('npx', ['vitest', 'run', ...report, ...args], { stdio: 'inherit' });
    if (status === 0) return { status, failed: [] };
    const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
    const failed = testResults.filter((file) => file.status === 'failed').map((file) => relative('.', file.name));
    return { status: status ?? 1, failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
const first = run(args);
process.exitCode = first.status;
if (process.env.CI && first.failed.length > 0 && first.failed.length <= mostFilesRunAgain) {
  const names = first.failed.join(', ');
  say(`FAILED, and run once more: ${names}`);
  const second = run(first.failed);
  process.exitCode = second.status;
  if (second.status === 0) say(`PASSED ONLY IN THE SECOND RUN: ${names}`);
}
