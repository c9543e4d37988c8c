/** A value that is often available synchronously. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues synchronously if the value is available. Every request runs this, and needless promises cost time. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
