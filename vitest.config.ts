import { defineConfig } from 'vitest/config';

/** Tests on one shared stack, started once. All other tests start the parts that they need. */
const needsStack = [
  'relayer/src/routes/**/*.test.ts',
  'relayer/src/auth/wallet-proof.test.ts',
  'stack/src/{private-data,quickstart}.test.ts',
  'docs/**/*.test.ts',
  'bench/**/*.test.ts',
  'packages/sdk/test/**/*.test.ts',
  'triggers/test/with-relayer.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A 429 takes a second, and the machine can be busy.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          globalSetup: ['packages/testing/src/postgres-setup.ts'],
          include: [
            'packages/**/*.test.ts',
            'relayer/**/*.test.ts',
            'triggers/**/*.test.ts',
            'indexer/**/*.test.ts',
            'stack/**/*.test.ts',
            'script/**/*.test.ts',
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
          globalSetup: ['packages/testing/src/postgres-setup.ts', 'stack/src/test-setup.ts'],
        },
      },
    ],
  },
});
