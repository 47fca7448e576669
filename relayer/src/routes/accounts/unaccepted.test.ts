/**
 * An account that a thief transferred to a wallet that never used the service: a payment of the wallet's owner must not reach the
 * account, because the thief has its usage keys and can take it back.
 */
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import {
  call,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
  type Reply,
  read,
} from '@latchkey/testing/stack';
import { type AdminWallet, accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { readCredit } from '../../../test/credit.ts';

const code = 'function main() { return 1; }';
const intent = { amount_cents: 500 };

/** Expects the refusal that names the account and how to accept or refuse it. */
function expectUnaccepted(reply: Reply, account: bigint): void {
  expectError(reply, 403, new RegExp(`^The account ${hex(account)} was transferred`));
  const { fix } = reply.body as { fix: string };
  expect(fix).toContain(`acceptAccount(${hex(account)})`);
  expect(fix).toContain(`cancelTransfer(${hex(account)})`);
}

let thief: AdminWallet;
let victim: AdminWallet;
let account: bigint;
/** A key of the account that the thief has. */
let usageKey: string;
let minBlock: Record<string, string>;
const auth = async (wallet: AdminWallet) => ({ ...(await billingAuth(wallet)), ...minBlock });

beforeAll(async () => {
  [thief, victim] = await Promise.all([eoa(), eoa()]);
  account = walletIdentity(thief.address);
  usageKey = newKeyText();
  const write = accountOf(thief);
  await write('newChainSecuredAccount', ['theirs', '']);
  const all = [true, true, true, [0n], [0n], [0n], [0n]] as const;
  await write('setUsageApiKey', [account, apiKeyHash(usageKey), 0n, 0n, '', '', ...all]);
  await payAndConfirm(await billingAuth(thief));
  const block = await write('transferChainSecuredAccountOwnership', [account, victim.address]);
  minBlock = { 'X-Min-Block': String(block) };
});

describe('403 for the account that waits', () => {
  test('payments and sessions of the wallet', async () => {
    const headers = await auth(victim);
    const pay = call('POST', 'billing/create_payment_intent', { body: intent, headers });
    expectUnaccepted(await pay, account);
    const confirm = { body: { payment_intent_id: 'pi_1' }, headers };
    expectUnaccepted(await call('POST', 'billing/confirm_payment', confirm), account);
    for (const path of ['billing/balance', 'billing/ledger', 'list_groups', 'list_api_keys'])
      expectUnaccepted(await get(path, undefined, headers), account);
  });

  test('account_admin, by which the trigger service decides who logs in', async () => {
    for (const hash of [account, walletIdentity(victim.address)])
      expectUnaccepted(await get(`account_admin?account=${hex(hash)}`, undefined, minBlock), account);
  });

  test('mints of the wallet, and by a usage key', async () => {
    const { address, signDigest } = victim;
    for (const [path, primaryType] of [
      ['create_wallet_with_signature', 'CreateWallet'],
      ['add_usage_api_key_with_signature', 'AddUsageApiKey'],
    ] as const)
      expectUnaccepted(await post(path, await proofOf({ primaryType, address }, signDigest)), account);
    expectUnaccepted(await post('create_wallet', {}, usageKey, minBlock), account);
    expectUnaccepted(await get('create_wallet', usageKey, minBlock), account);
  });

  test('payments by the former key of a converted account', async () => {
    const [first, next] = await Promise.all([eoa(), eoa()]);
    const { key, hash } = await newAccount();
    const body = {
      new_admin_wallet_address: first.address,
      ...(await proofOf({ primaryType: 'ConvertAccount', address: first.address }, first.signDigest)),
    };
    expectWritten(await post('convert_to_chain_secured_account', body, key));
    const moved = await accountOf(first)('transferChainSecuredAccountOwnership', [hash, next.address]);
    const headers = { 'X-Min-Block': String(moved) };
    expectError(await post('billing/create_payment_intent', intent, key, headers), 403, /ChainSecured/);
    expect((await get('list_groups', key, headers)).status).toBe(200);
  });
});

test('200: existing usage keys run', async () => {
  expect(await post('svc_action', { code }, usageKey, minBlock)).toMatchObject({ status: 200 });
});

test('200: a wallet that has its own account pays for that one, whatever is transferred to it', async () => {
  const before = await readCredit({ 'X-Api-Key': usageKey });
  const own = await eoa();
  const identity = walletIdentity(own.address);
  await accountOf(own)('newChainSecuredAccount', ['own', '']);
  const other = await eoa();
  const pushed = walletIdentity(other.address);
  await accountOf(other)('newChainSecuredAccount', ['pushed', '']);
  await expect(
    accountOf(other)('transferChainSecuredAccountOwnership', [pushed, own.address]),
  ).rejects.toThrow();
  expect(await read('allApiKeyHashesToMaster', [identity])).toBe(identity);
  await payAndConfirm(await billingAuth(own));
  expect(await readCredit(await billingAuth(own))).toBe(5_000_000);

  // The wallet for which an account waits opens its own.
  await accountOf(victim)('newChainSecuredAccount', ['mine', '']);
  await payAndConfirm(await billingAuth(victim));
  expect(await readCredit(await billingAuth(victim))).toBe(5_000_000);
  expect(await readCredit({ 'X-Api-Key': usageKey })).toBe(before);
});

test('200: after acceptAccount the wallet pays for the account, and after cancelTransfer the giver does', async () => {
  const [giver, taker] = await Promise.all([eoa(), eoa()]);
  const hash = walletIdentity(giver.address);
  const give = accountOf(giver);
  await give('newChainSecuredAccount', ['given', '']);
  const moved = await give('transferChainSecuredAccountOwnership', [hash, taker.address]);
  const at = (block: bigint) => ({ 'X-Min-Block': String(block) });
  expectUnaccepted(
    await get('billing/balance', undefined, { ...(await billingAuth(taker)), ...at(moved) }),
    hash,
  );
  const back = await give('cancelTransfer', [hash]);
  const balance = async (wallet: AdminWallet, block: bigint) =>
    get('billing/balance', undefined, { ...(await billingAuth(wallet)), ...at(block) });
  expect((await balance(giver, back)).status).toBe(200);
  expectError(await balance(taker, back), 401, /no account/);
  await give('transferChainSecuredAccountOwnership', [hash, taker.address]);
  const accepted = await accountOf(taker)('acceptAccount', [hash]);
  expect((await balance(taker, accepted)).status).toBe(200);
  await payAndConfirm(await billingAuth(taker));
  expectError(await balance(giver, accepted), 401);
});
