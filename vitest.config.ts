import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup.ts',
    // No test is about time: these only end one that hangs, also on a machine that is busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // A worker loads the service once for all of its files: each of them has an app and a database of its own anyway.
    isolate: false,
    // The tests of real processes mostly wait for them, so there is room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
