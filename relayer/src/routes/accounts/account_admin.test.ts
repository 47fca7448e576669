import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { addUsageKey, expectError, expectWritten, get, hex, newAccount, post } from '@latchkey/testing/stack';
import { accountOf, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';

const getAdmin = (hash: bigint, headers?: Record<string, string>) =>
  get(`account_admin?account=${hex(hash)}`, undefined, headers);

test('returns 200 for a managed account, and immediately reflects its conversion and transfer', async () => {
  const { key, hash, wallet } = await newAccount();
  const account = hex(hash);
  expect(await getAdmin(hash)).toMatchObject({
    status: 200,
    body: { account, admin_wallet_address: wallet, managed: true },
  });
  const [first, second] = [await eoa(), await eoa()];
  const { address } = first;
  const body = {
    new_admin_wallet_address: address,
    ...(await proofOf({ primaryType: 'ConvertAccount', address }, first.signDigest)),
  };
  expectWritten(await post('convert_to_chain_secured_account', body, key), expect.anything());
  const converted = { account, admin_wallet_address: address, managed: false };
  expect((await getAdmin(hash)).body).toEqual(converted);
  expect((await getAdmin(walletIdentity(address))).body).toEqual(converted);

  const waiting = await accountOf(first)('transferChainSecuredAccountOwnership', [hash, second.address]);
  for (const name of [hash, walletIdentity(address), walletIdentity(second.address)])
    expectError(await getAdmin(name, { 'X-Min-Block': String(waiting) }), 403, new RegExp(account));
  const block = await accountOf(second)('acceptAccount', [hash]);
  expect((await getAdmin(hash, { 'X-Min-Block': String(block) })).body).toEqual({
    ...converted,
    admin_wallet_address: second.address,
  });
});

describe('404', () => {
  test('an unknown hash, and a usage key', async () => {
    expectError(await getAdmin(1n), 404);
    const { key } = await newAccount();
    expectError(await getAdmin(apiKeyHash(await addUsageKey(key, {}))), 404);
  });
});

test.each([
  ['', 422],
  ['?account=0x1', 400],
  [`?account=${hex(1n)}&account=${hex(2n)}`, 422],
] as const)('a query without exactly one hash: %s returns %i', async (query, status) => {
  expectError(await get(`account_admin${query}`), status);
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await getAdmin(1n, { 'X-Min-Block': '99999999' }), 400);
});
