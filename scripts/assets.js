// Puts what the service serves but does not compile beside the compiled code.
import { chmodSync, copyFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
copyFileSync(
  new URL('node_modules/@scalar/fastify-api-reference/dist/js/standalone.js', root),
  new URL('dist/reference.js', root),
);
chmodSync(new URL('dist/cli/regulars.js', root), 0o755);
