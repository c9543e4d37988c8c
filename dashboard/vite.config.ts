import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

const { PORT = '8080' } = loadEnv('', import.meta.dirname, 'PORT');
const service = `http://127.0.0.1:${PORT}`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The code tables and their words. Of the other folders of the service only types are imported.
  resolve: { alias: { '#service/shared': resolve(import.meta.dirname, '../src/shared') } },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // test/dashboard/size.test.ts reads the manifest.
    manifest: true,
    // No inlined assets, because the content security policy of the pages allows only files.
    assetsInlineLimit: 0,
    // Keep the licence comments of the bundled packages.
    license: { fileName: 'licences.md' },
    modulePreload: { polyfill: false },
    // test/dashboard/size.test.ts limits the size of the first load.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  // For development: Vite serves the pages, and a running service serves the data.
  server: { proxy: { '/admin': service, '/v1': service, '/docs': service, '/openapi.json': service } },
});
