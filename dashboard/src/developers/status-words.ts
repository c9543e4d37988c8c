/** What a status means, in words, and whether that is good. */
export function statusWords(status: number): { words: string; color: 'green' | 'yellow' | 'red' | 'gray' } {
  const known: Record<number, string> = {
    400: 'Not readable',
    401: 'Token refused',
    404: 'Not found',
    413: 'Too large',
    415: 'Not JSON',
    422: 'Fields refused',
    429: 'Too many',
    503: 'Came at a bad moment',
  };
  if (status === 0) return { words: 'No answer', color: 'red' };
  if (status < 300) return { words: 'Done', color: 'green' };
  if (status < 400) return { words: 'Elsewhere', color: 'gray' };
  return status < 500
    ? { words: known[status] ?? 'Refused', color: 'yellow' }
    : { words: known[status] ?? 'Failed', color: 'red' };
}
