import { mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests of one group of `scripts/mutate.js`. */
const config = mergeConfig(base, {});
if (config.test) config.test.include = JSON.parse(process.env.MUTATION_TESTS ?? '[]');
export default config;
