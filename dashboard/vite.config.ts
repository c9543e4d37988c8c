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
    // What is loaded first is measured by it.
    manifest: true,
    // Everything is a file of its own: the pages are served with a policy that allows nothing else.
    assetsInlineLimit: 0,
    // Whoever gets the files gets the terms of those whose work is in them.
    license: { fileName: 'licences.md' },
    modulePreload: { polyfill: false },
    // test/dashboard/size.test.ts holds what is loaded first to its limit.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  // While working on it: the pages from here, the data from a service that runs beside.
  server: { proxy: { '/admin': service, '/v1': service, '/docs': service, '/openapi.json': service } },
});
