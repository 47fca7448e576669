import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { actionEnvironment } from './action-environment.ts';

/** Smaller files are sent as they are. */
const MIN_BYTES = 1_000;

/** Puts compressed copies beside the files, `.br` and `.gz`, so that a server of static files has nothing to compress. */
const compressedCopies: Plugin = {
  name: 'compressed-copies',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        if (content.length < MIN_BYTES || name.endsWith('.woff2')) continue;
        const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
        this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotli });
        this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(content) });
      }
    },
  },
};

/** Lets browsers load the font together with the styles that name it, and puts its license beside it. */
const font: Plugin = {
  name: 'font',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(new URL(import.meta.resolve('@fontsource-variable/instrument-sans/LICENSE')));
    this.emitFile({ type: 'asset', fileName: 'assets/font-license.txt', source });
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => name.endsWith('.woff2'))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: '' },
          injectTo: 'head',
        })),
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), actionEnvironment, font, compressedCopies],
  // With `npm run dev`: the services of the local stack.
  server: { proxy: { '/config.json': 'http://127.0.0.1:8200' } },
  build: {
    target: 'es2022',
    // Browsers that know light-dark(). For older ones it would be replaced by variables that only its own color-scheme sets.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // Few files. Dependencies change less often than the sources, and the sign-in page needs no chain.
        codeSplitting: {
          groups: [
            { name: 'dependencies', tags: ['$initial'], test: /node_modules/, priority: 1 },
            { name: 'application', tags: ['$initial'] },
            {
              name: 'chain',
              test: /node_modules\/(viem|wagmi|@wagmi|ox|abitype|@noble)\/|packages\/(sdk|protocol)\//,
            },
          ],
        },
      },
    },
  },
});
