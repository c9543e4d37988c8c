/** What is often known already. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on at once where there is nothing to wait for: every request comes by here, and idle promises would be felt. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
