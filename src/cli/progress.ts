/** Shows progress on stderr: a bar on a terminal, and a few lines elsewhere. */
export class Progress {
  readonly #what: string;
  readonly #begin = Date.now();
  readonly #isTerminal = process.stderr.isTTY === true;
  #shown = -1;

  constructor(what: string) {
    this.#what = what;
  }

  show(done: number, of: number): void {
    const share = Math.floor((100 * done) / of);
    // A log file gets about ten lines.
    const step = this.#isTerminal ? 1 : 10;
    if (share < 100 && Math.floor(share / step) === Math.floor(this.#shown / step)) return;
    this.#shown = share;
    const counts = `${done.toLocaleString('en')} of ${of.toLocaleString('en')} ${this.#what}${this.#remaining(done, of)}`;
    if (!this.#isTerminal) {
      process.stderr.write(`${share} %: ${counts}\n`);
      return;
    }
    process.stderr.write(`\r\x1b[K${bar(share)} ${String(share).padStart(3)} %  ${counts}`);
    drawing = true;
    if (done >= of) endBar();
  }

  #remaining(done: number, of: number): string {
    const seconds = Math.round(((Date.now() - this.#begin) / 1000 / done) * (of - done));
    // The first steps are too few for an estimate.
    return done >= of / 100 && seconds > 0 ? `, ${seconds} s left` : '';
  }
}

let drawing = false;

/** Ends the line, so that further output starts on a new one. */
export function endBar(): void {
  if (drawing) process.stderr.write('\n');
  drawing = false;
}

const width = 30;

function bar(share: number): string {
  const full = Math.round((share / 100) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
}
