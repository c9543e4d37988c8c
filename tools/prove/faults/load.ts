import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../../src/shared/random.ts';
import { type Answer, ask } from '../support/client.ts';
import { type Place, Script, type Write } from './script.ts';

export const clients = 24;
/** Longer than any fault. A request without a response after this time hangs. */
const timeoutMs = 60_000;
/** One client in this many disconnects early or has a short timeout. */
const [hangsUp, isImpatient] = [40, 10];
const maxTries = 60;

/** Clients that write and read sequentially, and retry until they get a response or give up. */
export class Load {
  readonly writes: Write[] = [];
  readonly wrong: string[] = [];
  readonly tally = {
    ...{
      requests: 0,
      retries: 0,
      hungUp: 0,
      unanswered: 0,
      turnedAway: 0,
      answered: 0,
      replayed: 0,
      reads: 0,
      gaveUp: 0,
    },
  };
  readonly #place: Place;
  readonly #urls: () => string[];
  readonly #seed: number;
  /** Timing depends on the other clients and cannot be repeated from the seed. */
  readonly #whim: Random;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  readonly #probes: Script;
  #over = false;

  constructor(place: Place, urls: () => string[], seed: number) {
    this.#place = place;
    this.#urls = urls;
    this.#seed = seed;
    this.#whim = new Random(seed);
    this.#probes = new Script(place, seed, clients);
  }

  /** Runs until `end` is called. Each client finishes its current request. */
  begin(): { end(): Promise<void> } {
    const working = Promise.all(Array.from({ length: clients }, (_, number) => this.#client(number)));
    // The error is handled at the end.
    working.catch(() => {});
    return {
      end: async () => {
        this.#over = true;
        await working;
      },
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #client(number: number): Promise<void> {
    const script = new Script(this.#place, this.#seed, number);
    /** The contacts that were confirmed, and their bookings without a table. */
    const guests: { email: string; id: number; marker: string }[] = [];
    const bookings: string[] = [];
    const phones: string[] = [];
    while (!this.#over) {
      const { kind, chance, marker } = script.next();
      const guest = guests.at(-1 - chance.below(5));
      let write: Write | undefined;
      switch (kind) {
        case 'guest':
          write = script.guest(chance, marker);
          break;
        case 'known guest':
          write = script.knownGuest(chance, marker);
          break;
        case 'own guest':
          if (guest) write = script.ownGuest(chance, marker, guest.email);
          break;
        case 'phone':
          write = script.phone(chance, marker);
          break;
        case 'joined phone': {
          const phone = phones.pop();
          if (phone) write = script.phone(chance, marker, phone);
          break;
        }
        case 'anonymous':
          write = script.anonymous(chance, marker);
          break;
        case 'own code':
          write = script.redemption(chance, 'own');
          break;
        case 'raced code':
          write = script.redemption(chance, 'raced');
          break;
        case 'table': {
          const booking = bookings.pop();
          const id = booking === undefined ? undefined : await this.#findBooking(booking);
          if (id !== undefined) write = script.table(chance, marker, id);
          break;
        }
        case 'look':
          if (guest) await this.#look(guest);
      }
      if (write) {
        await this.#settle(write);
        if (write.answer?.status === 200 && write.isOfOneGuest) {
          const { id } = JSON.parse(write.answer.body) as { id: number };
          if (write.email !== undefined) guests.push({ email: write.email, id, marker });
          if (write.booking !== undefined) bookings.push(write.booking);
          if (kind === 'phone') phones.push((JSON.parse(write.body) as { mobile_number: string }).mobile_number);
        }
      }
      await pause(30 + this.#whim.below(120));
    }
  }

  /** Sends a write until a response tells its outcome, or the client gives up. */
  async #settle(write: Write): Promise<void> {
    this.writes.push(write);
    for (let tries = 1; ; tries++) {
      // Some clients send the request twice at once.
      const atOnce = write.key !== undefined && this.#whim.once(30) ? 2 : 1;
      const answers = await Promise.all(Array.from({ length: atOnce }, () => this.#send(write)));
      for (const answer of answers) if (answer) this.#take(write, answer);
      if (write.answer) break;
      if (!write.mayRepeat || this.#whim.once(20) || tries >= maxTries) {
        this.tally.gaveUp++;
        return;
      }
      await pause(50 + this.#whim.below(300));
    }
    // Some clients send an answered request again.
    if (write.key !== undefined && write.answer.status === 200 && this.#whim.once(10)) await this.repeat(write);
  }

  /** A repeated request gets the same response, marked as replayed. */
  async repeat(write: Write): Promise<boolean> {
    const answer = await this.#send(write);
    if (!answer) return false;
    this.#take(write, answer);
    if (answer.headers['idempotent-replayed'] !== 'true')
      this.wrong.push(`${write.key} came again, and was not said to be replayed.`);
    return true;
  }

  /** A response with the outcome. Undefined: no response, or one that asks to retry. */
  async #send(write: Write, url = this.#anybody(), patience?: number): Promise<Answer | undefined> {
    if (url === undefined) return undefined;
    if (write.asked++ > 0) this.tally.retries++;
    return this.#ask(url, write.path, write, patience);
  }

  #take(write: Write, { status, body, headers }: Answer): void {
    const isRefusal = status === 422 && write.mayBeRefused && body.includes('already been redeemed');
    if (status !== 200 && !isRefusal) {
      this.wrong.push(`${write.path} with ${write.parts[0]} was answered ${status}: ${body}`);
      return;
    }
    if (headers['idempotent-replayed'] === 'true') this.tally.replayed++;
    if (!write.answer) {
      write.answer = { status, body };
      this.tally.answered++;
    } else if (write.answer.status !== status || write.answer.body !== body) {
      this.wrong.push(`${write.key ?? write.parts[0]} was answered ${write.answer.body} and then ${status} ${body}`);
    }
  }

  async #ask(
    url: string,
    path: string,
    { body, key }: { body?: string; key?: string | undefined },
    patience = this.#patience(),
  ): Promise<Answer | undefined> {
    this.tally.requests++;
    const began = performance.now();
    const answer = await ask(this.#agent, `${url}${path}`, {
      ...{ token: this.#place.token, method: body === undefined ? ('GET' as const) : ('POST' as const) },
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      patienceMs: patience,
    });
    if (!answer) {
      const left = performance.now() - began >= patience;
      if (!left) this.tally.unanswered++;
      else if (patience < timeoutMs) this.tally.hungUp++;
      else this.wrong.push(`${path} was not answered in ${timeoutMs / 1000} seconds.`);
      return undefined;
    }
    if (answer.status !== 503) return answer;
    this.tally.turnedAway++;
    if (answer.headers['retry-after'] === undefined)
      this.wrong.push(`A 503 did not say when to come back: ${answer.body}`);
    return undefined;
  }

  #patience(): number {
    if (this.#whim.once(hangsUp)) return this.#whim.below(20);
    return this.#whim.once(isImpatient) ? 100 + this.#whim.below(400) : timeoutMs;
  }

  /** There can be a moment without any live process. */
  #anybody(): string | undefined {
    const urls = this.#urls();
    return urls.length === 0 ? undefined : this.#whim.pick(urls);
  }

  async #read(path: string): Promise<Answer | undefined> {
    const url = this.#anybody();
    return url === undefined ? undefined : this.#ask(url, path, {});
  }

  /** A confirmed contact exists with the written values. */
  async #look({ email, id, marker }: { email: string; id: number; marker: string }): Promise<void> {
    const found = await this.#read(`/v1/contacts?email=${email}`);
    if (found && (JSON.parse(found.body) as { id?: number }).id !== id)
      this.wrong.push(`${email} was answered as ${id}, and then found as ${found.status} ${found.body}`);
    const bought = await this.#read(`/v1/contact/${id}/purchases`);
    if (bought && !bought.body.includes(`"${marker}"`))
      this.wrong.push(`The purchase ${marker} was answered, and then not found: ${bought.status} ${bought.body}`);
  }

  async #findBooking(reference: string): Promise<number | undefined> {
    const found = await this.#read(`/v1/bookings?account_id=${this.#place.account}&booking_reference=${reference}`);
    if (!found) return undefined;
    if (found.status === 200) return Number((JSON.parse(found.body) as { id: number }).id);
    this.wrong.push(`The booking ${reference} was answered, and then not found: ${found.status} ${found.body}`);
    return undefined;
  }

  /** Waits until this process has answered a write. */
  async waitForWrite(url: string, isGone: () => boolean): Promise<void> {
    const write = this.#probes.probe();
    this.writes.push(write);
    while (!isGone()) {
      const answer = await this.#send(write, url, 2000);
      if (answer) this.#take(write, answer);
      if (write.answer) return;
      await pause(20);
    }
  }
}
