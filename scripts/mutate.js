// Mutation tests: changes the files that decide, one place at a time, and runs the tests that concern them. A change that no
// test notices survives. Needs PostgreSQL, like the tests; `npm run mutate` runs every group, `npm run mutate consent` one.
import { Stryker } from '@stryker-mutator/core';

const groups = {
  people: {
    mutate: ['src/contacts/people.ts', 'src/contacts/person.ts'],
    tests: [
      'contacts/{merges,rules,batches,person,fields,payloads}',
      'consent/*',
      'domains/check',
      'purchases/anonymous',
    ],
  },
  consent: { mutate: ['src/consent/record.ts', 'src/consent/store.ts'], tests: ['consent/*', 'contacts/merges'] },
  redeem: { mutate: ['src/vouchers/redeem.ts'], tests: ['vouchers/redeem*', 'vouchers/check', 'vouchers/matching'] },
  matching: {
    mutate: ['src/matching/store.ts'],
    tests: ['purchases/{anonymous,batches,late,queue,tables}', 'vouchers/matching'],
  },
  identities: {
    mutate: ['src/identities/store.ts'],
    tests: ['contacts/{merges,races,batches,erasure,reads}', 'pops/*', 'purchases/anonymous'],
  },
  batching: { mutate: ['src/batch/gathering.ts'], tests: ['batch/*'] },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in groups));
if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(', ')}: ${Object.keys(groups).join(', ')}.`);

for (const name of wanted.length > 0 ? wanted : Object.keys(groups)) {
  const { mutate, tests } = groups[name];
  process.env.MUTATION_TESTS = JSON.stringify(tests.map((test) => `test/${test}.test.ts`));
  await new Stryker({
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutate.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    // A worker starts a PostgreSQL of its own.
    concurrency: 2,
    ignorePatterns: ['dist', 'data', 'demo-data', 'docs', 'reports'],
    // Stryker would read this file with TypeScript's own API, which TypeScript 7 does not have yet. Vite needs none of it.
    tsconfigFile: 'none',
    // Values that are made once, when a file is loaded, can only be changed by running every test again.
    ignoreStatic: true,
    // Messages, SQL and rows are no decisions: without them nothing works, and any test notices.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
    timeoutMS: 30_000,
    reporters: ['clear-text', 'json', 'progress-append-only'],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    clearTextReporter: { reportTests: false, allowColor: false },
    tempDirName: '.stryker-tmp',
  }).runMutationTest();
}
