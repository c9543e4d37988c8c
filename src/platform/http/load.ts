import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Bounds on the requests being answered and the bytes of their bodies and answers. Above them a client is told to come back. */
const most = { requests: 20_000, bytes: 256 * 1024 * 1024 };
/** One account may take this share of them. */
const shareOfAccount = 1 / 4;
/** A client that has not read a large answer after this time is disconnected. */
const slowestAnswerMs = 120_000;

interface Amount {
  requests: number;
  bytes: number;
}

/** What one request takes. */
export interface LoadShare {
  /** Counts the request as this caller's. False: the caller has too many requests, or bytes of them, already. */
  belongsTo(caller: string): boolean;
  /** Counts a large answer until it is sent. */
  holdsAnswer(bytes: number): void;
  /** Whether the caller may have another large answer in memory. */
  readonly hasRoom: boolean;
  /** To be called when the request is answered. A connection that closes gives back what is left of its requests. */
  leave(): void;
}

/** How much is being answered now. It bounds memory, in all and for each caller. */
export class Load {
  readonly #most: Amount;
  readonly #mostOfCaller: Amount;
  readonly #all: Amount = { requests: 0, bytes: 0 };
  readonly #callers = new Map<string, Amount>();
  /** The requests of each open connection. */
  readonly #open = new WeakMap<Socket, Set<() => void>>();

  /** Several processes share the bounds, except for one body, which each must be able to take. */
  constructor(processes = 1, longestBody = 0) {
    const oneBody = Math.min(longestBody, most.bytes);
    const requests = most.requests / processes;
    this.#most = { requests, bytes: Math.max(most.bytes / processes, oneBody) };
    this.#mostOfCaller = {
      requests: requests * shareOfAccount,
      bytes: Math.max((most.bytes / processes) * shareOfAccount, oneBody),
    };
  }

  /** A body of unknown length counts as the longest one. Of a body that says to be longer, no more than that is read. */
  add({ headers, socket }: IncomingMessage, longestBody: number): LoadShare {
    const told = headers['content-length'];
    const length = told === undefined ? (headers['transfer-encoding'] === undefined ? 0 : longestBody) : Number(told);
    let bytes = Math.min(length, longestBody);
    let deadline: NodeJS.Timeout | undefined;
    const mostOfCaller = this.#mostOfCaller;
    const requests = this.#requestsOn(socket);
    let of: Amount | undefined;
    let name = '';
    count(this.#all, 1, bytes);
    const leave = () => {
      if (!requests.delete(leave)) return;
      clearTimeout(deadline);
      count(this.#all, -1, -bytes);
      if (of && count(of, -1, -bytes).requests === 0) this.#callers.delete(name);
    };
    requests.add(leave);
    return {
      leave,
      get hasRoom() {
        return of === undefined || isWithin(of, mostOfCaller);
      },
      holdsAnswer: (more) => {
        if (!requests.has(leave)) return;
        bytes += more;
        count(this.#all, 0, more);
        if (of) count(of, 0, more);
        deadline = setTimeout(() => socket.destroy(), slowestAnswerMs).unref();
      },
      belongsTo: (caller) => {
        const amount = this.#callers.get(caller) ?? { requests: 0, bytes: 0 };
        if (!isWithin({ requests: amount.requests + 1, bytes: amount.bytes + bytes }, this.#mostOfCaller)) return false;
        this.#callers.set(caller, amount);
        count(amount, 1, bytes);
        [of, name] = [amount, caller];
        return true;
      },
    };
  }

  #requestsOn(socket: Socket): Set<() => void> {
    const known = this.#open.get(socket);
    if (known) return known;
    const requests = new Set<() => void>();
    this.#open.set(socket, requests);
    socket.once('close', () => {
      for (const leave of requests) leave();
    });
    return requests;
  }

  get isTooMuch(): boolean {
    return !isWithin(this.#all, this.#most);
  }
}

function count(amount: Amount, requests: number, bytes: number): Amount {
  amount.requests += requests;
  amount.bytes += bytes;
  return amount;
}

function isWithin(amount: Amount, bound: Amount): boolean {
  return amount.requests <= bound.requests && amount.bytes <= bound.bytes;
}
