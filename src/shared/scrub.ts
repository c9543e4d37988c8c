/**
 * The last line of defence of the logs: whatever a log line was made of, what looks like a token, an email address or a
 * phone number leaves as a placeholder. The first line is that bodies, queries and headers are never logged at all.
 */
export function scrub(line: string): string {
  return line
    .replace(/regulars_pat_[\w-]+/g, '[token]')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [secret]')
    .replace(/(:\/\/[^\s:/@"]*):[^\s@/"]+@/g, '$1:[secret]@')
    .replace(/[^\s"<>()=,;:[\]{}\\]+@[^\s"'<>()=,;:[\]{}\\]+\.[a-z]{2,}/gi, '[email]')
    .replace(/(?<![\w.-])(?:\+|00)?\d(?:[ ().-]?\d){8,14}(?![\w.-])/g, '[number]');
}
