/** Another program that does the same, to be measured beside ours. */
export interface Peer {
  name: string;
  version: string;
  install(say: (text: string) => void): Promise<void>;
  start(database: { superuser: string }, say: (text: string) => void): Promise<RunningPeer>;
}

export interface RunningPeer {
  contact: Ask;
  redeem: Ask;
  pids(): number[];
  stop(): Promise<void>;
}

/** n never repeats for a running peer. */
export interface Ask {
  url: string;
  method?: 'POST' | 'PATCH';
  path: string | ((n: number) => string);
  headers: Record<string, string>;
  body(n: number): string;
  check(n: number, status: number, body: string): void;
}

export const peers: Peer[] = [];
