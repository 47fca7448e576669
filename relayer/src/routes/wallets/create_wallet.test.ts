import { isExportable } from '@latchkey/protocol';
import {
  addUsageKey,
  call,
  createWallet,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import {
  decodeGroupParameters,
  type GroupSignature,
  verifyGroupSignature,
} from '@latchkey/threshold/group-signature';
import { describe, expect, test } from 'vitest';

type Minted = { wallet_address: `0x${string}`; derivation_path: string; certificate: GroupSignature };

const account = await newAccount();

const listWallets = (hash: bigint) => read('listPkps', [hash, 0n, 1_000n]);

describe('200', () => {
  test('registers a wallet at a path whose upper 160 bits are zero', async () => {
    const { key, hash } = await newAccount();
    const wallet = await createWallet(key);
    const path = await read('getWalletDerivation', [hash, wallet]);
    expect(path).toBeGreaterThan(0n);
    expect(path).toBeLessThan(2n ** 96n);
    expect(await read('getPathOwnerMaster', [path])).toBe(hash);
  });

  test('returns the path and the signature of the key nodes that its wallet has this address', async () => {
    const { key, hash } = await newAccount();
    const { body } = await post('create_wallet', {}, key);
    const { wallet_address, derivation_path, certificate } = body as Minted;
    const path = BigInt(derivation_path);
    expect(await read('getWalletDerivation', [hash, wallet_address])).toBe(path);
    const { groupPublicKey } = decodeGroupParameters(await read('nodeConfigurationValue', ['key-nodes']));
    const address = wallet_address.slice(2).toLowerCase();
    const verify = (of: string) =>
      verifyGroupSignature(groupPublicKey, { kind: 'wallet-address', path, address: of }, certificate);
    verify(address);
    expect(() => verify('12'.repeat(20))).toThrow('does not hold');
  });

  test('accepts no body, the deprecated GET, and a usage key with can_create_pkps', async () => {
    const { key, hash } = await newAccount();
    expectWritten(await call('POST', 'create_wallet', { key }), {});
    expectWritten(await get('create_wallet?name=w', key), {});
    const usageKey = await addUsageKey(key, { can_create_pkps: true });
    expectWritten(await post('create_wallet', { description: 'd' }, usageKey), {});
    expect(new Set((await listWallets(hash)).map(({ pkpId }) => pkpId)).size).toBe(3);
  });

  test('marks the path of a wallet that is not exportable, and only that', async () => {
    const { key, hash } = await newAccount();
    expectWritten(await post('create_wallet', { name: 'a', exportable: false }, key), {});
    expectWritten(await get('create_wallet?name=b&exportable=false', key), {});
    expectWritten(await post('create_wallet', { name: 'c', exportable: true }, key), {});
    const paths = (await listWallets(hash)).map(({ derivationPath }) => derivationPath);
    expect(paths.map(isExportable)).toEqual([false, false, true]);
    for (const path of paths) expect(path).toBeLessThan(2n ** 96n);
    const { body } = await get('list_wallets', key);
    expect(body).toMatchObject([{ exportable: false }, { exportable: false }, { exportable: true }]);
  });

  test('creates one wallet per Idempotency-Key, also for concurrent requests', async () => {
    const { key, hash } = await newAccount();
    const headers = { 'Idempotency-Key': 'wallet' };
    const replies = await Promise.all([1, 2, 3, 4].map(() => post('create_wallet', {}, key, headers)));
    for (const reply of replies) expect(reply.body).toEqual(replies[0]?.body);
    expect(await listWallets(hash)).toHaveLength(1);
  });
});

describeBadBodies('create_wallet', 400, () => account.key, [{ name: '\0' }]);

test('returns 403 for a usage key without can_create_pkps', async () => {
  const usageKey = await addUsageKey(account.key, { can_create_groups: true });
  expectError(await post('create_wallet', {}, usageKey), 403, /create wallets/);
  expect(await listWallets(account.hash)).toEqual([]);
});

test('returns 409 for the same Idempotency-Key with another body', async () => {
  const { key } = await newAccount();
  const headers = { 'Idempotency-Key': 'wallet' };
  expectWritten(await post('create_wallet', { name: 'a' }, key, headers), {});
  expectError(await post('create_wallet', { name: 'b' }, key, headers), 409);
});

describeBadBodies('create_wallet', 422, () => account.key, [
  [],
  { name: 1 },
  { exportable: 'false' },
  { exportable: null },
  { name: 'x'.repeat(129) },
  { description: 'x'.repeat(1_025) },
]);
