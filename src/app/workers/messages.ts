import type { AddressInfo } from 'node:net';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/connection.ts';
import type { Limits } from '../../platform/http/limits.ts';
import type { MetricValues } from '../../platform/internals/prom-client.ts';

/** The start options of a worker. It reads no settings and runs no migrations. */
export interface WorkerStart {
  config: Config;
  connect: ConnectOptions;
  connections: number;
  isOpen: boolean;
}

/** The functions of a worker that the main process calls. */
export interface Worker {
  /** Resolves when the worker listens. */
  start(options: WorkerStart): Promise<AddressInfo>;
  open(): void;
  /** An administrator changed something through another worker. */
  adminChanged(): void;
  metrics(): Promise<MetricValues[]>;
  /** Resolves at once, unless the worker hangs. */
  ping(): void;
}

/** The functions of the main process that a worker calls. */
export interface Main extends Limits {
  /** The worker handles messages from now on. Earlier messages would be lost. */
  ready(): void;
  adminChanged(): void;
  /** A writer appends events of these accounts. */
  eventsAppended(accountIds: number[]): void;
  /** The summed metrics of all workers. */
  metrics(): Promise<MetricValues[]>;
}
