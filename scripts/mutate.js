// Mutation tests: change the files with the main rules, one place at a time, and run their tests. A change that fails
// no
// test survives. Needs PostgreSQL, like the tests; `npm run mutate` runs every group, `npm run mutate consent` one.
import { Stryker } from '@stryker-mutator/core';

const groups = {
  contacts: {
    mutate: ['batch-state', 'changes', 'contact-state'].map((name) => `src/features/guests/write/${name}.ts`),
    tests: [
      'features/guests/contacts/{merge,rules,batches,contact-state,fields,payloads}',
      'features/guests/consent/*',
      'features/guests/domains/check',
      'features/activity/purchases/anonymous',
    ],
  },
  consent: {
    mutate: ['src/features/guests/consent/record.ts', 'src/features/guests/consent/store.ts'],
    tests: ['features/guests/consent/*', 'features/guests/contacts/merge'],
  },
  redeem: {
    mutate: ['src/features/vouchers/redeem.ts'],
    tests: ['features/vouchers/redeem*', 'features/vouchers/check', 'features/vouchers/matching'],
  },
  matching: {
    mutate: ['src/features/identity/matching/store.ts'],
    tests: ['features/activity/purchases/{anonymous,batches,late,queue,tables}', 'features/vouchers/matching'],
  },
  identities: {
    mutate: ['src/features/identity/identities/store.ts'],
    tests: [
      'features/guests/contacts/{merge,races,batches,erasure,reads}',
      'features/activity/presence/*',
      'features/activity/purchases/anonymous',
    ],
  },
  batching: { mutate: ['src/platform/batching/batcher.ts'], tests: ['platform/batching/*'] },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in groups));
if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(', ')}: ${Object.keys(groups).join(', ')}.`);

for (const name of wanted.length > 0 ? wanted : Object.keys(groups)) {
  const { mutate, tests } = groups[name];
  process.env.MUTATION_TESTS = JSON.stringify(tests.map((test) => `test/${test}*.test.ts`));
  await new Stryker({
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutate.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    // A worker starts a PostgreSQL of its own.
    concurrency: 2,
    ignorePatterns: ['dist', 'data', 'demo-data', 'docs', 'reports'],
    // Stryker reads this file with TypeScript's API, which TypeScript 7 does not have yet. Vite does not need it.
    tsconfigFile: 'none',
    // Mutants of values that are computed when a file is loaded need a run of every test, so they are left out.
    ignoreStatic: true,
    // Messages, SQL and rows contain no decisions. Any test fails without them.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
    timeoutMS: 30_000,
    reporters: ['clear-text', 'json', 'progress-append-only'],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    clearTextReporter: { reportTests: false, allowColor: false },
    tempDirName: '.stryker-tmp',
  }).runMutationTest();
}
