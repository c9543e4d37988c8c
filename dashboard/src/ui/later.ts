import { useDeferredValue } from 'react';

/** What takes long to draw: at first it is not known, so that the page around it is there at once, and then it is. */
export function useLater<T>(value: T | undefined): T | undefined {
  // React takes undefined for no first value at all.
  return useDeferredValue<T | undefined | null>(value, null) ?? undefined;
}
