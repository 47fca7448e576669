import { accountWalletAddress, apiKeyHash, isApiKey } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
  read,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { CENT, readCredit } from '../../../test/credit.ts';
import { digestOf, newSecretAccount, setSecret } from '../../../test/secrets.ts';

/** @param next A key, or its hash with the address of the key. */
const rotate = (key: string, next: string, headers?: Record<string, string>, wallet?: string) =>
  post(
    'rotate_account_key',
    { new_api_key: next, new_wallet_address: wallet ?? addressOf(next) },
    key,
    headers,
  );
/** Returns the address of a key, or any address for a hash. */
const addressOf = (next: string) => (isApiKey(next) ? accountWalletAddress(next) : WALLET);
const readAccount = (hash: bigint) => read('accountState', [hash]);

const WALLET = '0x2222222222222222222222222222222222222222';
const account = await newAccount();

describe('200', () => {
  test('the new key has everything of the account; the old one is 401 from the very next request', async () => {
    const { key, hash } = await newAccount();
    const group = await addGroup(key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [group] });
    const credit = await readCredit({ 'X-Api-Key': key });
    const next = newKeyText();
    expectWritten(await rotate(key, next));
    expectError(await get('list_groups', key), 401);
    expect((await get('list_groups', next)).body).toMatchObject([{ id: hex(BigInt(group)) }]);
    expect((await get('list_api_keys', next)).body).toMatchObject([
      { api_key_hash: hex(apiKeyHash(usageKey)) },
    ]);
    expect((await get('list_groups', usageKey)).status).toBe(200);
    expect(await readCredit({ 'X-Api-Key': next })).toBe(credit - CENT);
    const admins = [key, next].map((of) => get(`account_admin?account=${hex(apiKeyHash(of))}`));
    const [former, current] = await Promise.all(admins);
    expect(former?.status).toBe(404);
    expect(current?.body).toMatchObject({
      account: hex(hash),
      managed: true,
      admin_wallet_address: accountWalletAddress(next),
    });
    await addGroup(next);
  });

  test('the new key stores secrets for the wallets of the account, and reads what was released for them', async () => {
    const secrets = await newSecretAccount();
    const next = newKeyText();
    expectWritten(await rotate(secrets.key, next));
    await setSecret({ ...secrets, key: next }, 'AFTER', 'a value');
    expect(await digestOf(secrets, 'AFTER')).toMatch(/^0x/);
    const releases = await get(`key_releases?wallet=${secrets.wallet}&nonce=${'ab'.repeat(16)}`, next);
    expect(releases).toMatchObject({ status: 200, body: { before: null } });
  });

  test('by the hash of the new key, and a second time', async () => {
    const { key } = await newAccount();
    const [second, third] = [newKeyText(), newKeyText()];
    expectWritten(await rotate(key, hex(apiKeyHash(second)), {}, accountWalletAddress(second)));
    expectWritten(await rotate(second, third));
    for (const old of [key, second]) expectError(await get('list_groups', old), 401);
    expect((await get('list_groups', third)).status).toBe(200);
  });

  test('concurrent requests with one Idempotency-Key carry one consent and rotate once', async () => {
    const { key } = await newAccount();
    const next = newKeyText();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const replies = await Promise.all([1, 2, 3].map(() => rotate(key, next, headers)));
    expect(replies.map(({ status }) => status).filter((status) => status === 409 || status >= 500)).toEqual(
      [],
    );
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    expect((await get('list_groups', next)).status).toBe(200);
  });

  test('a retry after a lost reply is 401, and the new key works', async () => {
    const { key } = await newAccount();
    const next = newKeyText();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    expectWritten(await rotate(key, next, headers));
    expectError(await rotate(key, next, headers), 401);
    expect((await get('list_groups', next)).status).toBe(200);
  });
});

describe('409', () => {
  test('a key in use, and an earlier account key of any account', async () => {
    const { key } = await newAccount();
    const usageKey = await addUsageKey(key);
    const other = await newAccount();
    for (const used of [key, usageKey, other.key]) expectError(await rotate(key, hex(apiKeyHash(used))), 409);
    const next = newKeyText();
    expectWritten(await rotate(key, next));
    expectError(await rotate(next, hex(apiKeyHash(key))), 409);
    expectError(await rotate(other.key, hex(apiKeyHash(key))), 409);
  });
});

describeBadBodies('rotate_account_key', 400, () => account.key, [
  { new_api_key: '', new_wallet_address: WALLET },
  { new_api_key: 'guessable', new_wallet_address: WALLET },
  { new_api_key: 'A'.repeat(44), new_wallet_address: WALLET },
  { new_api_key: hex(5n), new_wallet_address: '0x' },
  { new_api_key: hex(5n), new_wallet_address: `0x${'00'.repeat(20)}` },
]);
describeBadBodies('rotate_account_key', 422, () => account.key, [
  {},
  { new_api_key: null, new_wallet_address: WALLET },
  { new_api_key: hex(5n), new_wallet_address: null },
]);

test('returns 422 without new_wallet_address, and says how to compute it', async () => {
  const reply = await post('rotate_account_key', { new_api_key: newKeyText() }, account.key);
  expectError(reply, 422, /new_wallet_address: required: the secp256k1 address .*accountWalletAddress/);
});

test('returns 400 for a key whose address was given wrong before, and the account stays', async () => {
  const { key, hash } = await newAccount();
  const next = newKeyText();
  expectWritten(await rotate(key, next, {}, WALLET));
  expectError(await rotate(next, newKeyText()), 400, new RegExp(`signature is not that of ${WALLET}`));
  expectError(await post('retire_account', { api_key_hash: hex(hash) }, next), 400, /signature/);
  expect(await readAccount(apiKeyHash(next))).toMatchObject({ masterApiKeyHash: hash, managed: true });
});
