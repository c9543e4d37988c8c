/** What is often known already. */
export type Soon<T> = T | Promise<T>;

/** Goes on at once where there is nothing to wait for: every request comes by here, and idle promises would be felt. */
export function whenKnown<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
