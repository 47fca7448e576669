import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import {
  addUsageKey,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  newWallet,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

/** Permits every action. */
const runner = { execute_in_groups: [0] };
const run = (key: string) => post('svc_action', { code: 'function main() { return 1; }' }, key);
const noPermissions = ['', '', false, false, false, [], [], [], []] as const;

const stranger = await newAccount();

/** The hash of a removed key is in the log, and a program of the victim may still send the key: no stranger may give it authority. */
async function expectTaken(removed: string): Promise<void> {
  const hash = hex(apiKeyHash(removed));
  const strangersKey = await addUsageKey(stranger.key, runner);
  const rotation = { usage_api_key: strangersKey, new_usage_api_key: hash };
  expectError(await post('rotate_usage_api_key', rotation, stranger.key), 409);
  expectError(
    await post(
      'rotate_account_key',
      { new_api_key: hash, new_wallet_address: stranger.wallet },
      stranger.key,
    ),
    409,
  );
  const fields = { name: 'taken', ...runner };
  expectError(await post('update_usage_api_key', { usage_api_key: hash, ...fields }, stranger.key), 404);
  const recording = { usage_api_key: hash, record_output: true };
  expectError(await post('set_usage_api_key_recording', recording, stranger.key), 404);
  // This route makes its own key and ignores the hash.
  const added = await addUsageKey(stranger.key, { ...fields, usage_api_key: hash });
  expect(added).not.toBe(removed);
  const wallet = await newWallet();
  await wallet.write('newChainSecuredAccount', ['', '']);
  const set = wallet.write('setUsageApiKey', [
    walletIdentity(wallet.address),
    apiKeyHash(removed),
    0n,
    0n,
    ...noPermissions,
  ]);
  await expect(set).rejects.toThrow('AccountAlreadyExists');
  expectError(await get('list_groups', removed), 401);
  expectError(await run(removed), 401);
}

describe('409: a stranger cannot take the hash of a removed key, which stays 401', () => {
  test('remove_usage_api_key', async () => {
    const { key } = await newAccount();
    const usageKey = await addUsageKey(key, runner);
    expect((await run(usageKey)).status).toBe(200);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: usageKey }, key));
    await expectTaken(usageKey);
  });

  test('remove_all_usage_api_keys', async () => {
    const { key } = await newAccount();
    const usageKey = await addUsageKey(key, runner);
    expectWritten(await post('remove_all_usage_api_keys', {}, key));
    await expectTaken(usageKey);
  });

  test('retire_account, after a removal and without one', async () => {
    const { key, hash } = await newAccount();
    const [removed, left] = [await addUsageKey(key, runner), await addUsageKey(key, runner)];
    expectWritten(await post('remove_usage_api_key', { usage_api_key: removed }, key));
    expectWritten(await post('retire_account', { api_key_hash: hex(hash) }, key));
    for (const usageKey of [removed, left]) await expectTaken(usageKey);
  });
});

describe('200: the account sets its removed key again', () => {
  test('in place of another one, with its permissions', async () => {
    const { key } = await newAccount();
    const removed = await addUsageKey(key, runner);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: removed }, key));
    const other = await addUsageKey(key);
    const rotation = { usage_api_key: other, new_usage_api_key: hex(apiKeyHash(removed)) };
    expectWritten(await post('rotate_usage_api_key', rotation, key));
    expect((await get('list_groups', removed)).status).toBe(200);
    expectError(await run(removed), 403);
  });

  test('from its wallet on the chain', async () => {
    const wallet = await newWallet();
    const hash = walletIdentity(wallet.address);
    await wallet.write('newChainSecuredAccount', ['', '']);
    const usageKey = newKeyText();
    const set = () => wallet.write('setUsageApiKey', [hash, apiKeyHash(usageKey), 0n, 0n, ...noPermissions]);
    await set();
    expect((await get('list_groups', usageKey)).status).toBe(200);
    await wallet.write('removeUsageApiKey', [hash, apiKeyHash(usageKey)]);
    await expect.poll(async () => (await get('list_groups', usageKey)).status).toBe(401);
    await set();
    await expect.poll(async () => (await get('list_groups', usageKey)).status).toBe(200);
  });
});
