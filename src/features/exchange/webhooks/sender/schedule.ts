/** The pauses between attempts: 5 seconds, 5 minutes, 30 minutes, then hours. */
const pausesSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
export const mostTries = pausesSeconds.length + 1;
/** A pause is longer by at most this share, at random, so that the attempts of one outage do not come together again. */
const jitter = 0.1;
const longestSeconds = 86_400;

/** The time before the next attempt. `retryAfter`: the header, which can only make it longer. */
export function pauseMs(tries: number, retryAfter: string | null, now: number): number {
  const usual = pausesSeconds[tries - 1] ?? longestSeconds;
  const wanted = Math.min(secondsOf(retryAfter, now), longestSeconds);
  return Math.max(usual * (1 + Math.random() * jitter), wanted) * 1000;
}

/** The header has seconds, or a date. */
function secondsOf(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now) / 1000);
}
