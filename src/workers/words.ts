import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import type { ConnectOptions } from '../db/database.ts';
import type { Figure } from '../http/figures.ts';
import type { Limits } from '../http/limits.ts';

/** What a worker is to begin with: it reads no settings and migrates nothing. */
export interface Beginning {
  config: Config;
  connect: ConnectOptions;
  connections: number;
  isOpen: boolean;
}

/** What the main process asks of a worker. */
export interface Worker {
  /** Answered once it serves. */
  begin(beginning: Beginning): Promise<AddressInfo>;
  open(): void;
  /** An administrator changed something, by way of another. */
  changed(): void;
  figures(): Promise<Figure[]>;
  /** Answered at once, unless the worker hangs. */
  ping(): void;
}

/** What a worker asks of the main process. */
export interface Main extends Limits {
  /** It listens to what it is asked; before that, nobody would hear. */
  here(): void;
  changed(): void;
  /** Of all workers together. */
  figures(): Promise<Figure[]>;
}
