import { Command } from 'commander';
import { afterEach, expect, it, vi } from 'vitest';
import { finish } from '../../src/cli/run.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

it('a statement timeout is reported with a sentence and exit code 1', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const program = new Command('regulars').action(() => {
    throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  });
  await finish(program, ['node', 'regulars']);
  expect(said.mock.calls.flat()).toEqual([
    'The database is not available: canceling statement due to statement timeout. Check whether the command took effect before you run it again.\n',
  ]);
  expect(process.exitCode).toBe(1);
});
it('an internal error is not hidden', async () => {
  const program = new Command('regulars').action(() => {
    throw new TypeError('a fault');
  });
  await expect(finish(program, ['node', 'regulars'])).rejects.toThrow('a fault');
});
