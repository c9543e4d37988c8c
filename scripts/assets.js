// Copies the files that the service serves but does not compile to the compiled code.
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = new URL('../', import.meta.url);
copyFileSync(
  new URL('node_modules/@scalar/fastify-api-reference/dist/js/standalone.js', root),
  new URL('dist/reference.js', root),
);
chmodSync(new URL('dist/cli/regulars.js', root), 0o755);

// Compresses the dashboard's files once, at the highest level, instead of at each request.
const dashboard = new URL('dist/dashboard/', root);
for (const name of readdirSync(dashboard, { recursive: true, encoding: 'utf8' })) {
  if (!/^(index|assets\/.*)\.(html|js|css|svg)$/.test(name)) continue;
  const file = new URL(name, dashboard);
  const content = readFileSync(file);
  writeFileSync(`${file.pathname}.br`, brotliCompressSync(content));
  writeFileSync(`${file.pathname}.gz`, gzipSync(content, { level: 9 }));
}
