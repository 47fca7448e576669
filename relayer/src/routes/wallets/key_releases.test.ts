import { type Account, createWallet, expectError, get, newAccount, read } from '@latchkey/testing/stack';
import { beforeAll, expect, test } from 'vitest';

const NONCE = 'ab'.repeat(16);
let account: Account;
let wallet: string;
beforeAll(async () => {
  account = await newAccount();
  wallet = await createWallet(account.key);
});
const query = (of = wallet, more = '') => `key_releases?wallet=${of}&nonce=${NONCE}${more}`;
type Reply = { derivation_path: string; nodes: { head: string; entries: string[] }[]; before: string | null };

test('returns the list of each key node, in pages', async () => {
  const { status, body } = await get(query(), account.key);
  expect(status).toBe(200);
  const { derivation_path, nodes, before } = body as Reply;
  expect(BigInt(derivation_path)).toBe(await read('getWalletDerivation', [account.hash, wallet as never]));
  expect(before).toBeNull();
  expect(nodes).toHaveLength(3);
  const kinds = nodes.flatMap(({ entries }) => entries.map((text) => JSON.parse(text).kind));
  expect(new Set(kinds)).toEqual(new Set(['mint-wallet', 'wallet-address']));
  for (const { head } of nodes) expect(JSON.parse(head)).toMatchObject({ nonce: NONCE, first: 1 });
  const first = (await get(query(wallet, '&page_size=1'), account.key)).body as Reply;
  const second = (await get(query(wallet, `&page_size=1&before=${first.before}`), account.key)).body as Reply;
  const numbers = ({ nodes }: Reply) =>
    nodes.flatMap(({ entries }) => entries.map((text) => JSON.parse(text).sequence));
  expect(new Set(numbers(second))).toEqual(new Set([1]));
  expect(numbers(first).length + numbers(second).length).toBe(kinds.length);
});

test('returns 404 for the wallet of another account', async () => {
  const other = await newAccount();
  expectError(await get(query(await createWallet(other.key)), account.key), 404, /does not have this wallet/);
});

test.each([
  [400, `key_releases?wallet=0x12&nonce=${NONCE}`],
  [400, `key_releases?wallet=${`0x${'12'.repeat(20)}`}&nonce=${NONCE}&page_size=101`],
  [422, `key_releases?wallet=${`0x${'12'.repeat(20)}`}`],
  [422, `key_releases?wallet=${`0x${'12'.repeat(20)}`}&nonce=${NONCE}&before=x`],
] as const)('returns %s for a malformed query: %s', async (status, path) => {
  expectError(await get(path, account.key), status);
});
