import {
  addUsageKey,
  expectError,
  expectWritten,
  get,
  newAccount,
  payAndConfirm,
  post,
} from '@latchkey/testing/stack';
import {
  accountOf,
  billingAuth,
  eoa,
  multisig,
  proofOf,
  seconds,
  walletAuth,
} from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { CENT, inShort, leaveCents, readCredit, readLedger } from '../../../test/credit.ts';

/** Cents of starter credit in the shared stack. */
const STARTER = 100_000;

const account = await newAccount();
const headers = { 'X-Api-Key': account.key };
const balance = async (of: Record<string, string>) => (await get('billing/balance', undefined, of)).body;

describe('200', () => {
  test('returns credit as negative cents, as text, and in micro-credits', async () => {
    expect(await balance(headers)).toEqual({
      balance_cents: -STARTER,
      balance_display: '$1000.00 credit',
      credit_micros: STARTER * CENT,
    });
    await payAndConfirm(headers, { cents: 1_234 });
    expect(await balance(headers)).toEqual({
      balance_cents: -101_234,
      balance_display: '$1012.34 credit',
      credit_micros: 101_234 * CENT,
    });
  });

  test('returns zero and negative balances', async () => {
    const poor = { 'X-Api-Key': (await newAccount()).key };
    await leaveCents(poor, 5);
    expect(await balance(poor)).toMatchObject({ balance_cents: -5, balance_display: '$0.05 credit' });
    const { key } = await newAccount();
    await leaveCents({ 'X-Api-Key': key }, 0);
    expect(await balance({ 'X-Api-Key': key })).toEqual({
      balance_cents: 0,
      balance_display: 'No credits',
      credit_micros: 0,
    });
    await leaveCents({ 'X-Api-Key': key }, -700);
    expect(await balance({ 'X-Api-Key': key })).toEqual({
      balance_cents: 700,
      balance_display: 'No credits',
      credit_micros: -700 * CENT,
    });
  });

  test("returns the account's credit to a usage key without permissions", async () => {
    const usageKey = { 'X-Api-Key': await addUsageKey(account.key) };
    expect(await balance(usageKey)).toEqual(await balance(headers));
  });

  test('excludes the reserve of an in-flight run', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0] });
    const before = await readCredit(headers);
    const code = 'async function main() { await new Promise((done) => setTimeout(done, 400)) }';
    const run = post('svc_action', { code }, key);
    await expect.poll(() => readCredit(headers), { interval: 20 }).toBe(before - CENT);
    expect((await run).status).toBe(200);
    expect(await readCredit(headers)).toBe(before - CENT);
  });
});

describe.each([
  ['an EOA', eoa],
  ['a multisig', multisig],
])('the admin wallet of a ChainSecured account: %s', (_what, open) => {
  test('pays and reads its credit with its proof', async () => {
    const admin = await open();
    await accountOf(admin)('newChainSecuredAccount', ['', '']);
    const auth = await billingAuth(admin);
    expect(await readCredit(auth)).toBe(0);
    await payAndConfirm(auth, { cents: 750 });
    expect(await readCredit(auth)).toBe(750 * CENT);
    expect(await balance(auth)).toMatchObject({ balance_cents: -750, balance_display: '$7.50 credit' });
  });

  test('a conversion costs a cent; credit and ledger survive it and a transfer', async () => {
    const [admin, next] = await Promise.all([open(), open()]);
    const { key, hash } = await newAccount();
    await payAndConfirm({ 'X-Api-Key': key }, { cents: 500 });
    const before = await readLedger({ 'X-Api-Key': key });
    const { address, signDigest } = admin;
    const proof = await proofOf({ primaryType: 'ConvertAccount', address }, signDigest);
    const converted = await post(
      'convert_to_chain_secured_account',
      { new_admin_wallet_address: address, ...proof },
      key,
    );
    expectWritten(converted, {});
    const credit = (STARTER + 500 - 1) * CENT;
    const auth = await billingAuth(admin);
    expect(await readCredit(auth)).toBe(credit);
    expect(await readCredit({ 'X-Api-Key': key })).toBe(credit);
    expectError(await get('billing/ledger', key), 403);
    const kept = await readLedger(auth);
    expect(kept.slice(0, before.length)).toEqual(before);
    expect(inShort(kept.slice(before.length))).toEqual([
      ['reserve', 1, 'convert_to_chain_secured_account'],
      ['capture', 1, 'convert_to_chain_secured_account'],
    ]);

    await accountOf(admin)('transferChainSecuredAccountOwnership', [hash, next.address]);
    const moved = await accountOf(next)('acceptAccount', [hash]);
    const minBlock = { 'X-Min-Block': String(moved) };
    expect(await readCredit({ ...(await billingAuth(next)), ...minBlock })).toBe(credit);
    expectError(await get('billing/balance', undefined, { ...(await billingAuth(admin)), ...minBlock }), 401);
    // A transfer is the wallet's own write.
    expect(await readLedger({ ...(await billingAuth(next)), ...minBlock })).toEqual(kept);
  });
});

describe('401', () => {
  test('a wallet without an account, and an expired proof, whatever key comes with it', async () => {
    const stranger = await billingAuth(await eoa());
    expectError(await get('billing/balance', account.key, stranger), 401);
    const admin = await eoa();
    await accountOf(admin)('newChainSecuredAccount', ['', '']);
    const { address, signDigest } = admin;
    const issuedAt = seconds() - 400n;
    const old = walletAuth(await proofOf({ primaryType: 'BillingAuth', address, issuedAt }, signDigest));
    expectError(await get('billing/balance', account.key, old), 401);
  });
});
