import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const service = 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: { outDir: '../dist/dashboard', emptyOutDir: true },
  // While working on it: the pages from here, the data from a service that runs beside.
  server: { proxy: { '/admin': service, '/v1': service, '/docs': service, '/openapi.json': service } },
});
