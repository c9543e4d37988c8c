import type { AddressInfo } from 'node:net';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/database.ts';
import type { Limits } from '../../platform/http/limits.ts';
import type { MetricValues } from '../../platform/http/metric-values.ts';

/** What a worker is to begin with: it reads no settings and migrates nothing. */
export interface WorkerStart {
  config: Config;
  connect: ConnectOptions;
  connections: number;
  isOpen: boolean;
}

/** What the main process asks of a worker. */
export interface Worker {
  /** Answered once it serves. */
  begin(beginning: WorkerStart): Promise<AddressInfo>;
  open(): void;
  /** An administrator changed something, by way of another. */
  changed(): void;
  figures(): Promise<MetricValues[]>;
  /** Answered at once, unless the worker hangs. */
  ping(): void;
}

/** What a worker asks of the main process. */
export interface Main extends Limits {
  /** It listens to what it is asked; before that, nobody would hear. */
  here(): void;
  changed(): void;
  /** Of all workers together. */
  figures(): Promise<MetricValues[]>;
}
