import { useLayoutEffect, useRef } from 'react';

/** Keeps the visible lines of a log in place when new ones arrive above them. `newest`: the id of the first line. */
export function useStableScroll(newest: number | string | undefined) {
  const scroll = useRef<HTMLDivElement>(null);
  const before = useRef({ newest, height: 0 });
  useLayoutEffect(() => {
    const frame = scroll.current;
    if (!frame) return;
    const height = frame.scrollHeight;
    if (before.current.newest !== newest && frame.scrollTop > 0) frame.scrollTop += height - before.current.height;
    before.current = { newest, height };
  });
  return scroll;
}
