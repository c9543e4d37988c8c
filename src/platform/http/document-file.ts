import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keysOf } from '../../shared/record.ts';

/** In order of preference. */
const encodings = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };
type Encoding = keyof typeof encodings | 'identity';

/** A JSON document that does not change while the process runs. Each encoding is prepared once, on first use. */
export class DocumentFile {
  readonly #content: Buffer;
  readonly #hash: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(document: unknown) {
    this.#content = Buffer.from(JSON.stringify(document));
    this.#hash = createHash('sha256').update(this.#content).digest('base64url');
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = chosenEncoding(request.headers['accept-encoding']);
    // A strong ETag differs for each encoding.
    const etag = `"${this.#hash}-${encoding}"`;
    reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type('application/json; charset=utf-8').send(await this.#in(encoding));
  }

  #in(encoding: Encoding): Promise<Buffer> {
    const content = this.#encoded.get(encoding);
    if (content) return content;
    const made = encoding === 'identity' ? Promise.resolve(this.#content) : encodings[encoding](this.#content);
    this.#encoded.set(encoding, made);
    return made;
  }
}

/** The best encoding that the client accepts: `br;q=0` refuses one, and `*` stands for all that are not named. */
export function chosenEncoding(accepted = ''): Encoding {
  const weights = new Map(
    accepted.split(',').map((one) => {
      const [name = '', weight = 'q=1'] = one
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      return [name, Number(weight.replace('q=', ''))] as const;
    }),
  );
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = keysOf(encodings)
    .filter((name) => weightOf(name) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
  return best ?? 'identity';
}

function matches(wanted: string | undefined, etag: string): boolean {
  const tags = wanted?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
