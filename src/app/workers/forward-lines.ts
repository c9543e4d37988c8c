import type { Readable } from 'node:stream';

/** Forwards the output of a process in whole lines. It arrives in chunks that can end anywhere. */
export function forwardLines(written: Readable | null, write: (lines: string) => void): void {
  let rest = '';
  written?.setEncoding('utf8');
  written?.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  // A killed process can leave an incomplete line, which is forwarded as it is.
  written?.on('end', () => {
    if (rest !== '') write(`${rest}\n`);
  });
}
