import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('promtool', ['--version']).status === 0;

/** Added to the name of a suite that needs promtool, so that the report says why it was skipped. */
export const promtool = {
  isInstalled,
  skipped: isInstalled ? '' : ' (LEFT OUT: promtool was not found. On Debian: apt-get install prometheus)',
  run(...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  },
};
if (!isInstalled)
  console.error('\n*** LEFT OUT: the tests of the alert rules and the Grafana dashboard with promtool. ***\n');
