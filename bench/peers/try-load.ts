import { Agent, request } from 'node:http';
import type { Ask } from './peers.ts';
export async function load(ask: Ask, connections: number, end: number, take: () => number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let count = 0;
  const client = async () => {
    while (performance.now() < end) {
      const n = take();
      const body = ask.body(n);
      const path = typeof ask.path === 'string' ? ask.path : ask.path(n);
      await new Promise<void>((done, failed) => {
        const sent = request(
          `${ask.url}${path}`,
          {
            method: ask.method ?? 'POST',
            agent,
            headers: { ...ask.headers, 'content-length': Buffer.byteLength(body) },
          },
          (answer) => {
            let text = '';
            answer.setEncoding('utf8');
            answer.on('data', (chunk) => {
              text += chunk;
            });
            answer.on('end', () => {
              try {
                ask.check(n, answer.statusCode ?? 0, text);
                count++;
                done();
              } catch (error) {
                failed(error);
              }
            });
          },
        );
        sent.on('error', failed);
        sent.end(body);
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return count;
}
