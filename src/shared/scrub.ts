/**
 * Replaces texts in log lines that look like a token, an e-mail address or a phone number. This is the second
 * protection. The first is that bodies, queries and headers are never logged.
 */
export function scrub(line: string): string {
  const safe = line
    .replace(/regulars_pat_[\w-]+/g, '[token]')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [secret]')
    // Not a number that is a JSON value (our own ids), nor a client's request id, which is there to be found again.
    .replace(/(?<![\w.-]|":|"request_id":")(?:\+|00)?\d(?:[ ().-]?\d){8,14}(?![\w.-])/g, '[number]');
  if (!safe.includes('@')) return safe;
  return safe
    .replace(/(:\/\/[^\s:/@"]*):[^\s@/"]+@/g, '$1:[secret]@')
    .replace(/[^\s"<>()=,;:[\]{}\\@]{1,64}@[^\s"'<>()=,;:[\]{}\\@]{1,255}\.[a-z]{2,63}/gi, '[email]');
}
