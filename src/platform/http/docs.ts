import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { packageFile } from '../package-files.ts';
import { DocumentFile } from './document-file.ts';
import { pageHeaders } from './page-headers.ts';

/** The script of the reference. The build copies it beside the code, so that pages load nothing from other servers. */
const script = packageFile('dist', 'reference.js');

const reference = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Regulars API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script>
      Scalar.createApiReference('#reference', {
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        hideModels: true,
        showDeveloperTools: 'never',
        documentDownloadType: 'json',
        defaultOpenAllTags: false,
        authentication: { preferredSecurityScheme: 'token' },
        defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      });
    </script>
  </body>
</html>
`;

/** The OpenAPI documents and the reference. They work without internet access. */
export function serveDocs(app: FastifyInstance, documents: { whole: unknown; partners: unknown }): void {
  const [whole, partners] = [new DocumentFile(documents.whole), new DocumentFile(documents.partners)];
  const headers = pageHeaders(reference);
  let code: Buffer | undefined;
  app.get('/openapi.json', (request, reply) => whole.send(request, reply));
  app.get('/v1/openapi.json', (request, reply) => partners.send(request, reply));
  app.get('/docs', (_request, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(reference));
  app.get('/docs/reference.js', (_request, reply) => {
    code ??= readFileSync(script);
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=86400').send(code);
  });
}
