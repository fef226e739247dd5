import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const { version } = JSON.parse(readFileSync(join(pdfjs, 'package.json'), 'utf8')) as { version: string };
/** Where the parts of PDF.js are that it asks for by name; the version in it stands for the hash of others. */
const pdfjsParts = `assets/pdfjs-${version}/`;
/** Character maps, standard fonts, decoders in JavaScript and colour profiles. */
const folders: { readonly [folder: string]: RegExp } = {
  cmaps: /\.bcmap$/,
  standard_fonts: /\.(pfb|ttf)$/,
  wasm: /\.js$/,
  iccs: /\.icc$/,
};

function pdfjsPlugin(): Plugin {
  return {
    name: 'pdfjs-parts',
    apply: 'build',
    generateBundle() {
      for (const [folder, wanted] of Object.entries(folders))
        for (const name of readdirSync(join(pdfjs, folder)))
          if (wanted.test(name))
            this.emitFile({
              type: 'asset',
              fileName: `${pdfjsParts}${folder}/${name}`,
              source: readFileSync(join(pdfjs, folder, name)),
            });
    },
  };
}

/**
 * How the dashboard is built: for the origin of the API, at `/`, every file but index.html under `assets/` with its
 * content's hash in its name. Nothing is inlined, so that the content security policy needs no exception.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'error',
  plugins: [pdfjsPlugin()],
  define: { 'import.meta.env.PDFJS_PARTS': JSON.stringify(pdfjsParts) },
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
