import { useDeferredValue } from 'react';

/** Defers a slow value: undefined in the first render, so that the rest of the page appears at once. */
export function useDeferred<T>(value: T | undefined): T | undefined {
  // React treats undefined as "no initial value", so null is used.
  return useDeferredValue<T | undefined | null>(value, null) ?? undefined;
}
