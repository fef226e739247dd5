import { defineConfig } from 'vite';

/**
 * How the dashboard is built: for the origin of the API, at `/`, every file but index.html under `assets/` with its
 * content's hash in its name. Nothing is inlined, so that the content security policy needs no exception.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'error',
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    license: false,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:3000' }, '/docs': { target: 'http://127.0.0.1:3000' } } },
});
