import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The SDK from its sources.
  resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
  build: { target: 'es2022', chunkSizeWarningLimit: 1_000 },
});
