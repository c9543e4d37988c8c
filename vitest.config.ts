import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The tests of real processes mostly wait for them, so there is room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
