import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The SDK from its sources.
  resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
  // With `npm run dev`: the services of the local stack.
  server: { proxy: { '/config.json': 'http://127.0.0.1:8200' } },
  build: {
    target: 'es2022',
    // Browsers that know light-dark(). For older ones it would be replaced by variables that only its own color-scheme sets.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 1_000,
  },
});
