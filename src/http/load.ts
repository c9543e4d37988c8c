import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** More than this many requests at once, or bytes of their bodies, and a client is better told to come back. */
const most = { requests: 20_000, bytes: 256 * 1024 * 1024 };

/** How much is being answered just now, so that memory has a bound whatever comes in. */
export class Load {
  readonly #most: { requests: number; bytes: number };
  #requests = 0;
  #bytes = 0;
  /** What of it came on which connection: one that breaks takes all that was to be answered on it along. */
  readonly #shares = new WeakMap<Socket, { requests: number; bytes: number }>();

  /** Several processes share what there may be, but for one body, which each must be able to take. */
  constructor(processes = 1, longestBody = 0) {
    const bytes = Math.max(most.bytes / processes, Math.min(longestBody, most.bytes));
    this.#most = { requests: most.requests / processes, bytes };
  }

  /**
   * Gives what is to be called when it is answered; what was not by then is given back with its connection.
   * A body whose length is not told may be as long as bodies may be; of one that says to be longer, no more is read.
   */
  add({ headers, socket }: IncomingMessage, longestBody: number): () => void {
    const told = headers['content-length'];
    const length = told === undefined ? (headers['transfer-encoding'] === undefined ? 0 : longestBody) : Number(told);
    const bytes = Math.min(length, longestBody);
    const share = this.#shareOf(socket);
    this.#count(share, 1, bytes);
    return () => {
      if (this.#shares.has(socket)) this.#count(share, -1, -bytes);
    };
  }

  #shareOf(socket: Socket): { requests: number; bytes: number } {
    const known = this.#shares.get(socket);
    if (known) return known;
    const share = { requests: 0, bytes: 0 };
    this.#shares.set(socket, share);
    socket.once('close', () => {
      this.#shares.delete(socket);
      this.#count(share, -share.requests, -share.bytes);
    });
    return share;
  }

  #count(share: { requests: number; bytes: number }, requests: number, bytes: number): void {
    share.requests += requests;
    share.bytes += bytes;
    this.#requests += requests;
    this.#bytes += bytes;
  }

  get isTooMuch(): boolean {
    return this.#requests > this.#most.requests || this.#bytes > this.#most.bytes;
  }
}
