import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../src/shared/random.ts';

/** Once, at the next message to the server with `text`, in a transaction that had a message with `earlier`. */
interface Break {
  text: string;
  earlier?: string;
  /** Whether the server still gets the message and answers it. The answer is lost in any case. */
  isDelivered: boolean;
  happened(): void;
}

/** A proxy to a database server that can cut connections. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isDown = false;
  #losing: Random | undefined;
  #lost = 0;
  #break: Break | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `to` is the database's port. */
  static async open(to: () => number): Promise<CuttingProxy> {
    const server = createServer({ noDelay: true });
    const line = new CuttingProxy(server);
    server.on('connection', (client) => line.#join(client, to()));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return line;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  #join(client: Socket, to: number): void {
    if (this.#isDown) {
      client.on('error', () => {}).resetAndDestroy();
      return;
    }
    const upstream = connect({ port: to, host: '127.0.0.1', noDelay: true });
    this.#open.add(client);
    client.on('error', () => {}).on('close', () => this.#open.delete(client));
    upstream.on('error', () => {});
    let [isLost, hadEarlier] = [false, false];
    client.on('data', (chunk) => {
      if (chunk.includes('BEGIN')) hadEarlier = false;
      if (this.#break && chunk.includes(this.#break.earlier ?? '')) hadEarlier = true;
      if (hadEarlier && this.#break && chunk.includes(this.#break.text)) {
        this.#breakAt(chunk, upstream);
        return;
      }
      upstream.write(chunk);
      if (!this.#losing?.once(2) || !chunk.includes('commit\0')) return;
      isLost = true;
      this.#lost++;
      client.resetAndDestroy();
      // The database receives the commit, but its reply is lost.
      upstream.unpipe(client).resume().end();
    });
    client.on('close', () => isLost || upstream.destroy());
    upstream.pipe(client);
    upstream.on('close', () => client.destroySoon());
  }

  /** Cuts connections after a commit is sent, for a while. Returns the number of lost replies. */
  async loseCommits(milliseconds: number, chance: Random): Promise<number> {
    this.#losing = chance;
    this.#lost = 0;
    await pause(milliseconds);
    this.#losing = undefined;
    return this.#lost;
  }

  /** The connection stays open without an answer until the caller ends the server or this proxy. */
  #breakAt(chunk: Buffer, upstream: Socket): void {
    const { isDelivered, happened } = this.#break as Break;
    this.#break = undefined;
    // A paused socket would not notice that the server ended.
    upstream.unpipe().resume();
    if (isDelivered) {
      upstream.once('data', happened);
      upstream.write(chunk);
    } else happened();
  }

  /** Waits for a message, and keeps it or its answer back. */
  nextMessage(message: Omit<Break, 'happened'>): Promise<void> {
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`No message had ${message.text}.`)), 20_000);
      const happened = () => {
        clearTimeout(late);
        done();
      };
      this.#break = { ...message, happened };
    });
  }

  /** Cuts about this percentage of the connections. Returns the number. */
  cut(share: number, chance: Random): number {
    const chosen = [...this.#open].filter(() => chance.percent(share));
    for (const victim of chosen) victim.resetAndDestroy();
    return chosen.length;
  }

  /** Rejects all connections until `up` is called. */
  down(chance: Random): number {
    this.#isDown = true;
    return this.cut(100, chance);
  }

  up(): void {
    this.#isDown = false;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }
}
