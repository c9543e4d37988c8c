import { existsSync, readFileSync } from 'node:fs';
import files from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotFound, WrongMethod } from '../../shared/problem.ts';
import { packageFile } from '../package-files.ts';
import { pageHeaders } from './page-headers.ts';
import { accepts } from './streams.ts';

/** The build puts the dashboard beside the compiled code. */
const built = packageFile('dist', 'dashboard');

/** Programs use these paths. Their 404 is JSON, not the page. */
const programs = /^\/(v1|admin|docs|openapi\.json|metrics|health|assets)(\/|\?|$)/;

const notBuilt = `The dashboard is not built yet. Run "npm run build" where Regulars is installed, then start it again.
The API is running. Its reference is at /docs.
`;

/** Serves the dashboard: its files under names with a hash of their content, and its one page at every other path that a browser opens. */
export async function serveDashboard(
  app: FastifyInstance,
  {
    folder = built,
    identify = async () => {},
    methodsAt = () => [],
  }: {
    folder?: string;
    identify?(request: FastifyRequest): Promise<void>;
    methodsAt?(url: string): string[];
  } = {},
): Promise<void> {
  const isBuilt = existsSync(`${folder}/index.html`);
  if (isBuilt) {
    await app.register(files, {
      root: `${folder}/assets`,
      prefix: '/assets/',
      preCompressed: true,
      index: false,
      maxAge: '365d',
      immutable: true,
      setHeaders: (reply) => {
        reply.setHeader('x-content-type-options', 'nosniff');
        // Caches must distinguish the three encodings of each file.
        reply.setHeader('vary', 'accept-encoding');
      },
    });
  }
  const headers = isBuilt ? pageHeaders(readFileSync(`${folder}/index.html`, 'utf8')) : {};
  function page(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (!isBuilt) return reply.code(404).type('text/plain; charset=utf-8').send(notBuilt);
    return reply.headers(headers).sendFile('index.html', folder, { cacheControl: false });
  }
  app.get('/', page);
  const preHandler = async (request: FastifyRequest) => {
    if (request.url.startsWith('/v1/')) await identify(request);
  };
  // Before the body is read, because the response does not depend on it.
  app.addHook('onRequest', (request, _reply, done) => {
    const allowed = request.is404 ? methodsAt(request.url) : [];
    if (allowed.length === 0) return done();
    preHandler(request).then(() => done(new WrongMethod(request.method, allowed)), done);
  });
  app.setNotFoundHandler({ preHandler }, (request, reply) => {
    const opened = request.method === 'GET' || request.method === 'HEAD';
    const isPage = opened && accepts(request, 'text/html') && !programs.test(request.url);
    if (isPage) return page(request, reply);
    throw new NotFound(`There is nothing at ${request.method} ${request.url.split('?')[0]}.`);
  });
}
