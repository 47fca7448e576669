/** ethers v5 in an action, area by area of its documentation. `ethers/` has the tests, in the form of the Web Platform Tests. */
import { readFileSync } from 'node:fs';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { startRuntime } from './runtime.ts';
import { runTests } from './web-platform/harness.ts';

const chain = await startChain();
disposeAfterAll(chain);
const run = await startRuntime({ fetch: { allowedAddresses: [`127.0.0.1:${chain.port}`] } });

test.each([
  ['signers', 20],
  ['utilities', 110],
  ['chain', 15],
])('%s', async (area, least) => {
  const tests = readFileSync(new URL(`ethers/${area}.js`, import.meta.url), 'utf8');
  const { count, failed } = await runTests(run, tests, `const RPC_URL = ${JSON.stringify(chain.url)};`);
  expect(failed).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(least);
});
