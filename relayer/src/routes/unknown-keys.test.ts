/** The limit of requests with unknown keys and wallets, per address, at a relayer with a low one. */
import { addUsageKey, call, expectError, newAccount, newKeyText } from '@latchkey/testing/stack';
import { eoa, proofOf, walletAuth } from '@latchkey/testing/wallet-proof';
import { expect, test, vi } from 'vitest';
import { ownRelayer } from '../../test/own-relayer.ts';

// The test starts its own relayer, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

test('unknown keys and wallets share UNKNOWN_KEYS_PER_MINUTE; a key that was seen is exempt', async () => {
  await using relayer = await ownRelayer({ UNKNOWN_KEYS_PER_MINUTE: '3' });
  const known = await addUsageKey((await newAccount()).key);
  const { address, signDigest } = await eoa();
  const proof = walletAuth(await proofOf({ primaryType: 'BillingAuth', address }, signDigest));
  const { url } = relayer;
  const callers = [
    () => call('GET', 'list_groups', { key: newKeyText() }, url),
    () => call('POST', 'svc_action', { key: newKeyText(), body: { code: 'const main = () => 1' } }, url),
    () => call('GET', 'list_groups', { headers: proof }, url),
  ];
  const seen = () => call('GET', 'list_groups', { key: known }, url);
  expect((await seen()).status).toBe(200);
  for (const caller of callers) expectError(await caller(), 401);
  for (const caller of callers) {
    const refused = await caller();
    expectError(refused, 429, /unknown keys/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await seen()).status).toBe(200);
});
