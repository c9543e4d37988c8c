/** A short text and a colour for a response status. */
export function statusText(status: number): { words: string; color: 'green' | 'yellow' | 'red' | 'gray' } {
  const known: Record<number, string> = {
    400: 'Invalid JSON',
    401: 'Invalid token',
    404: 'Not found',
    413: 'Too large',
    415: 'Not JSON',
    422: 'Invalid fields',
    429: 'Rate limit',
    503: 'Unavailable',
  };
  if (status === 0) return { words: 'No response', color: 'red' };
  if (status < 300) return { words: 'OK', color: 'green' };
  if (status < 400) return { words: 'Redirect', color: 'gray' };
  return status < 500
    ? { words: known[status] ?? 'Refused', color: 'yellow' }
    : { words: known[status] ?? 'Failed', color: 'red' };
}
