import type { Readable } from 'node:stream';

/** Gives whole lines of what a process writes: it arrives in pieces that end anywhere. */
export function forwardLines(written: Readable | null, write: (lines: string) => void): void {
  let rest = '';
  written?.setEncoding('utf8');
  written?.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  // One that was killed in the middle of a line leaves that line as it is.
  written?.on('end', () => {
    if (rest !== '') write(`${rest}\n`);
  });
}
