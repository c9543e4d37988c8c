import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on the requests in progress and the bytes of their bodies and responses. Above them a request gets a 503. */
const most = { requests: 20_000, bytes: 256 * 1024 * 1024 };
/** One account may use this share of the limits. */
const shareOfAccount = 1 / 4;
/** A client that has not read a large response after this time is disconnected. */
const responseTimeoutMs = 120_000;

interface Amount {
  requests: number;
  bytes: number;
}

/** The share of one request. */
export interface LoadShare {
  /** Counts the request for this caller. False: the caller has too many requests, or too many bytes, already. */
  assignTo(caller: string): boolean;
  /** Counts a large response until it is sent. */
  addResponse(bytes: number): void;
  /** Whether the caller may have another large response in memory. */
  readonly hasRoom: boolean;
  /** Must be called after the response. A closed connection releases its requests by itself. */
  leave(): void;
}

/** The requests in progress. It limits the memory they use, in total and per caller. */
export class Load {
  readonly #most: Amount;
  readonly #mostOfCaller: Amount;
  readonly #all: Amount = { requests: 0, bytes: 0 };
  readonly #callers = new Map<string, Amount>();
  /** The requests of each open connection. */
  readonly #open = new WeakMap<Socket, Set<() => void>>();

  /** The processes share the limits. Each process accepts at least one body of the largest size. */
  constructor(processes = 1, longestBody = 0) {
    const oneBody = Math.min(longestBody, most.bytes);
    const requests = most.requests / processes;
    this.#most = { requests, bytes: Math.max(most.bytes / processes, oneBody) };
    this.#mostOfCaller = {
      requests: requests * shareOfAccount,
      bytes: Math.max((most.bytes / processes) * shareOfAccount, oneBody),
    };
  }

  /** A body of unknown length counts as the longest one. A longer body is not read further than that. */
  add({ headers, socket }: IncomingMessage, longestBody: number): LoadShare {
    const sent = headers['content-length'];
    const length = sent === undefined ? (headers['transfer-encoding'] === undefined ? 0 : longestBody) : Number(sent);
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
      addResponse: (more) => {
        if (!requests.has(leave)) return;
        bytes += more;
        count(this.#all, 0, more);
        if (of) count(of, 0, more);
        deadline = setTimeout(() => socket.destroy(), responseTimeoutMs).unref();
      },
      assignTo: (caller) => {
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

  get isFull(): boolean {
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
