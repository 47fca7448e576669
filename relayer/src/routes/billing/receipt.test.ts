import { walletIdentity } from '@latchkey/protocol';
import { expectError, get, hex, newAccount, payAndConfirm, post } from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { stripe } from '../../../test/credit.ts';

const account = await newAccount();
const id = await payAndConfirm({ 'X-Api-Key': account.key }, { cents: 1_234 });
const path = (intent = id) => `billing/receipt?payment_intent_id=${intent}`;

test('returns the amount, the time, the account and the receipt of the card processor', async () => {
  const { status, body } = await get(path(), account.key);
  expect(status).toBe(200);
  const { receipt_url: url, paid_at, ...rest } = body as { receipt_url: string; paid_at: string };
  expect(rest).toEqual({ payment_intent_id: id, account: hex(account.hash), amount_cents: 1_234 });
  const [entry] = (await get('billing/ledger?page_size=1', account.key)).body as { created_at: string }[];
  expect(paid_at).toBe(entry?.created_at);
  expect((await fetch(url)).status).toBe(200);
});

test('a new owner gets the receipt without that of the card processor, which names the card of the former one', async () => {
  const [former, next] = [await eoa(), await eoa()];
  const hash = walletIdentity(former.address);
  await accountOf(former)('newChainSecuredAccount', ['', '']);
  const asFormer = await billingAuth(former);
  const paid = await payAndConfirm(asFormer);
  expect((await get(path(paid), undefined, asFormer)).body).toMatchObject({
    receipt_url: expect.any(String),
  });
  await accountOf(former)('transferChainSecuredAccountOwnership', [hash, next.address]);
  const block = await accountOf(next)('acceptAccount', [hash]);
  const minBlock = { 'X-Min-Block': String(block) };
  const seen = await get(path(paid), undefined, { ...(await billingAuth(next)), ...minBlock });
  expect(seen).toMatchObject({ status: 200, body: { amount_cents: 500, receipt_url: null } });
  expectError(await get(path(paid), undefined, { ...asFormer, ...minBlock }), 401);
});

describe('404', () => {
  test('for a payment of another account, one that was not paid, and an unknown one', async () => {
    const { key } = await newAccount();
    expectError(await get(path(), key), 404, /does not have this payment/);
    const created = await post('billing/create_payment_intent', { amount_cents: 500 }, account.key);
    const { payment_intent_id: unpaid } = created.body as { payment_intent_id: string };
    for (const intent of [unpaid, 'pi_none']) expectError(await get(path(intent), account.key), 404);
    const refund = await stripe.refunds.create({ payment_intent: id, amount: 1 });
    expectError(await get(path(refund.id.replace('re_', 'pi_')), account.key), 404);
  });
});

test.each(['', 're_1', 'pi_1/refunds'])('returns 400 for the id %j', async (intent) => {
  expectError(await get(path(intent), account.key), 400);
});
