/** ethers v5 in an action, area by area of its documentation. `ethers/` has the tests, in the form of the Web Platform Tests. */
import { readFileSync } from 'node:fs';
import { startChain } from '@latchkey/testing/chain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../src/runtime.ts';
import { runner } from '../src/testing.ts';
import { runTests } from './web-platform/harness.ts';

let runtime: Runtime;
let chain: Awaited<ReturnType<typeof startChain>>;
beforeAll(async () => {
  chain = await startChain();
  runtime = await createRuntime({ poolSize: 2, fetch: { allowedAddresses: [`127.0.0.1:${chain.port}`] } });
});
afterAll(async () => {
  await runtime?.close();
  await chain?.[Symbol.asyncDispose]();
});
const run = runner(() => runtime);

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
