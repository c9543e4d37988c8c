import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../src/shared/random.ts';

/** A proxy between the service and its database that can cut connections. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isDown = false;
  #losing: Random | undefined;
  #lost = 0;

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
    let isLost = false;
    client.on('data', (chunk) => {
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
