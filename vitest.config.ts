import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Inherited by the services that tests start: they need a third less processor time to start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

/** Tests on one shared stack, started once. All other tests start the parts that they need. */
const needsStack = [
  'relayer/src/routes/**/*.test.ts',
  'relayer/src/auth/wallet-proof.test.ts',
  'stack/src/{quickstart,floods}.test.ts',
  'docs/**/*.test.ts',
  'bench/**/*.test.ts',
  'packages/{sdk,cli,mcp,viem,ethers}/test/**/*.test.ts',
  'triggers/src/{routes/authority,routes/fuzz,pages/fuzz}.test.ts',
  'triggers/test/{with-relayer,skewed-clocks}.test.ts',
  'dashboard/test/**/*.test.ts',
];

export default defineConfig({
  // Packages as Node resolves them.
  ssr: { resolve: { conditions: ['node', 'development|production'] } },
  test: {
    // Timeouts end what hangs. The machine can be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Tests mostly wait for processes and timers.
    maxWorkers: 4,
    // Files share the modules of their worker: importing them again for each file took a third of the processor time.
    isolate: false,
    // A heap that grows in small steps took a tenth of a worker's processor time for collections.
    execArgv: ['--initial-heap-size=1024', '--min-semi-space-size=32'],
    setupFiles: ['packages/testing/src/timers-setup.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          globalSetup: ['packages/testing/src/postgres-setup.ts', 'packages/testing/src/packed-setup.ts'],
          include: [
            'packages/**/*.test.ts',
            'relayer/**/*.test.ts',
            'runner/**/*.test.ts',
            'keynodes/**/*.test.ts',
            'triggers/**/*.test.ts',
            'indexer/**/*.test.ts',
            'stack/**/*.test.ts',
            'deploy/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...needsStack],
        },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: needsStack,
          // Concurrent tests are those of hostile requests, which mostly wait for the service.
          maxConcurrency: 20,
          globalSetup: [
            'packages/testing/src/postgres-setup.ts',
            'packages/testing/src/packed-setup.ts',
            'stack/src/test-setup.ts',
          ],
        },
      },
    ],
  },
});
