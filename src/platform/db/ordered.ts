/** Sends one or more statements before it awaits anything, and resolves to their result. */
type Step = () => unknown;

/** JavaScript lists integer-like keys before all others, so a step cannot have such a key. */
type Named<Steps> = { [Name in keyof Steps]: Name extends number | `${number}` ? never : unknown };

type Results<Steps extends Record<string, Step>> = {
  -readonly [Name in keyof Steps]: Awaited<ReturnType<Steps[Name]>>;
};

/**
 * Statements of one transaction in a visible order. All of them are sent without waiting for results, so they share a
 * round trip. PostgreSQL executes them in the order in which they were sent: locks are taken in that order, and each
 * statement sees the locks, the settings and the rows of those before it.
 *
 * The promise settles when every statement has settled: a failed step leaves no other that could still send a statement
 * when the connection already serves the next transaction. It rejects with the error of the first step that failed.
 */
export interface Ordered {
  /** In the order of the keys. Resolves to an object with the result of each. */
  inOrder<Steps extends Record<string, Step>>(steps: Steps & Named<Steps>): Promise<Results<Steps>>;
  /** The same step for each item, in the order of the list. */
  each<Item, Result>(items: readonly Item[], step: (item: Item) => Result): Promise<Awaited<Result>[]>;
}

export const ordered: Ordered = {
  inOrder: async (steps) => {
    const entries = Object.entries<Step>(steps);
    const results = await settled(entries.map(([, step]) => begin(step)));
    return Object.fromEntries(entries.map(([name], index) => [name, results[index]])) as Results<typeof steps>;
  },
  each: (items, step) => settled(items.map((item) => begin(() => step(item)))),
};

/** Waits for all statements, which have been sent already. Rejects with the error of the first that failed. */
export async function settled<Result>(statements: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(statements);
  return Promise.all(statements);
}

/** A step that throws must not stop the others from being awaited. */
async function begin<Result>(step: () => Result): Promise<Awaited<Result>> {
  return await step();
}
