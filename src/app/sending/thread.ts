import { parentPort, workerData } from 'node:worker_threads';
import { senderMetrics } from '../../features/exchange/webhooks/sender/metrics.ts';
import type { Measured } from '../../features/exchange/webhooks/sender/request-load.ts';
import { Sender } from '../../features/exchange/webhooks/sender/sender.ts';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/connection.ts';
import { joinDatabase } from '../../platform/db/open/open.ts';
import { type MetricValues, metricsOf } from '../../platform/internals/prom-client.ts';
import { signalAppended } from '../../platform/outbox/signal.ts';
import { createPost } from '../../platform/outgoing/post.ts';
import { present } from '../../shared/present.ts';
import { connectIpc } from '../workers/ipc.ts';
import { portChannel } from './port-channel.ts';

/* The thread that sends to webhooks. The main thread starts it, and writes its log. */

export interface ThreadStart {
  config: Pick<Config, 'webhookPrivateAddresses' | 'dnsServers'>;
  connect: ConnectOptions;
  connections: number;
  /** How busy the main thread is: the fields of `Measured`. */
  load: SharedArrayBuffer;
}

/** The functions of the thread. */
export interface SendingThread {
  metrics(): Promise<MetricValues[]>;
  /** A writer appends events of these accounts. */
  eventsAppended(accountIds: number[]): void;
  /** Resolves when the requests in flight have ended and are stored. */
  stop(): Promise<void>;
}

/** The functions of the main thread. */
export interface MainThread {
  /** The thread handles messages soon from now on. */
  ready(): void;
  failed(error: Error): void;
  disabled(accountId: number, webhookId: number, reason: string): void;
}

/** The main thread imports the types only. */
if (parentPort) await run(workerData as ThreadStart);

async function run({ config, connect, connections, load }: ThreadStart): Promise<void> {
  const port = present(parentPort, 'port');
  const stopping = new AbortController();
  let stop = async () => {};
  const ask = connectIpc<MainThread, SendingThread>(portChannel(port, 'close'), {
    metrics: () => metricsOf(senderMetrics),
    eventsAppended: (accountIds) => {
      for (const id of accountIds) signalAppended(id);
    },
    stop: async () => {
      stopping.abort();
      await stop();
    },
  });
  void ask('ready').catch(() => {});
  const db = await joinDatabase(connect, { connections, signal: stopping.signal });
  const post = createPost({
    allowPrivate: config.webhookPrivateAddresses === 'allow',
    dnsServers: config.dnsServers,
  });
  const shared = new Float64Array(load);
  const measure = (): Measured => ({ inProgress: shared[0] ?? 0, share: shared[1] ?? 0 });
  const events = {
    onError: (error: unknown) => void ask('failed', error as Error).catch(() => {}),
    onDisabled: (...disabled: Parameters<MainThread['disabled']>) => void ask('disabled', ...disabled).catch(() => {}),
  };
  const sender = new Sender(db, post, events, measure).start();
  stop = async () => {
    await sender.stop();
    post.close();
    await db.close();
  };
}
