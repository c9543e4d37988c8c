/** Whether this is a run of `npm run mutate`, which leaves out random tests: they are slow, and find a change only now and then. */
export const isMutating = process.env.MUTATION_TESTS !== undefined;
