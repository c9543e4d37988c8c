import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { ask } from '../support/client.ts';

/** One kind of flood: the same request repeated over many connections. */
export interface Flood {
  url: string;
  token: string;
  method: 'GET' | 'POST';
  /** `#` in the body is replaced by a unique number. */
  body: string;
  connections: number;
}

/** The responses to the flood. */
export interface Flooded {
  answered: Record<string, number>;
  bytes: number;
}

const timeoutMs = 60_000;

/** Runs in a separate thread, because reading many large responses would delay the measured client. */
export async function flood(data: Flood, isOver: () => boolean): Promise<Flooded> {
  const agent = new Agent({ keepAlive: true, maxSockets: data.connections });
  const answered: Record<string, number> = {};
  let [sent, bytes] = [0, 0];
  const client = async () => {
    while (!isOver()) {
      const { token, method } = data;
      const body = data.body.replaceAll('#', String(sent++));
      const answer = await ask(agent, data.url, { token, method, body, patienceMs: timeoutMs });
      const status = answer?.status ?? 'not at all';
      answered[status] = (answered[status] ?? 0) + 1;
      bytes += answer?.body.length ?? 0;
    }
  };
  await Promise.all(Array.from({ length: data.connections }, client));
  agent.destroy();
  return { answered, bytes };
}

if (parentPort && workerData) {
  let isOver = false;
  parentPort.once('message', () => {
    isOver = true;
  });
  parentPort.postMessage(await flood(workerData as Flood, () => isOver));
}
