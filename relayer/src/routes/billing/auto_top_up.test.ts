/** Automatic top-ups over HTTP, with the owners that the chain has. */
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import {
  call,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { describe, expect, test, vi } from 'vitest';
import { CENT, ownPayments } from '../../../test/credit.ts';
import { move } from '../../billing/ledger.ts';
import { openDatabase } from '../../db/database.ts';

vi.setConfig({ testTimeout: 120_000 });

type Headers = Record<string, string>;
const SETTINGS = { threshold_cents: 1_000, amount_cents: 2_000, monthly_limit_cents: 6_000 };

const own = disposeAfterAll(await ownPayments());
const account = await newAccount();

const send = (path: string, headers: Headers, body: object) =>
  call('POST', `billing/${path}`, { headers, body }, own.url);
const read = async (headers: Headers) => {
  const { status, body } = await call('GET', 'billing/auto_top_up', { headers }, own.url);
  expect(status).toBe(200);
  return (body as { auto_top_up: object | null }).auto_top_up;
};
const enterCard = async (headers: Headers, card = 'pm_card_visa'): Promise<string> => {
  const { status, body } = await send('create_setup_intent', headers, {});
  expect(status).toBe(200);
  const { setup_intent_id: id, client_secret } = body as { setup_intent_id: string; client_secret: string };
  expect(client_secret).toMatch(new RegExp(`^${id}_secret_`));
  const confirmed = await own.stripe.setupIntents.confirm(id, { payment_method: card });
  if (confirmed.status === 'requires_action') await own.standIn.authenticateSetup(id, true);
  return id;
};
const turnOn = async (headers: Headers, card?: string) => {
  const setup_intent_id = await enterCard(headers, card);
  return send('set_auto_top_up', headers, { ...SETTINGS, setup_intent_id });
};
const intentsOf = async (hash: bigint) =>
  (await own.stripe.paymentIntents.list({ limit: 100 })).data.filter(
    ({ metadata }) => metadata.account === hex(hash),
  );

describe('200', () => {
  test('tops up once, with an entry in the ledger; then it is turned off', async () => {
    const { key, hash } = await newAccount();
    const headers = { 'X-Api-Key': key };
    expect(await read(headers)).toBeNull();
    expect(await turnOn(headers)).toMatchObject({
      status: 200,
      body: {
        auto_top_up: {
          ...SETTINGS,
          charged_this_month_cents: 0,
          card: { brand: 'visa', last4: '4242', expiry_month: 12, expiry_year: 2040 },
          paused: null,
        },
      },
    });
    await expect.poll(() => own.credit(headers), { timeout: 30_000 }).toBe(2_000 * CENT);
    const [intent, ...others] = await intentsOf(hash);
    expect(others).toEqual([]);
    expect(await own.ledger(headers)).toMatchObject([{ kind: 'credit', reason: `payment ${intent?.id}` }]);
    expect(await read(headers)).toMatchObject({ charged_this_month_cents: 2_000 });
    expect(await send('set_auto_top_up', headers, { ...SETTINGS, amount_cents: 500 })).toMatchObject({
      status: 200,
    });
    // A thief of the account key does not have the card.
    const raised = { ...SETTINGS, monthly_limit_cents: 99_999_999 };
    expectError(await send('set_auto_top_up', headers, raised), 409, /agreed to a lower monthly limit/);
    expect(await read(headers)).toMatchObject({ amount_cents: 500, monthly_limit_cents: 6_000 });
    const setup_intent_id = await enterCard(headers);
    expect(await send('set_auto_top_up', headers, { ...raised, setup_intent_id })).toMatchObject({
      status: 200,
      body: { auto_top_up: raised },
    });
    expect(await send('remove_auto_top_up', headers, {})).toMatchObject({ status: 200 });
    expect(await read(headers)).toBeNull();
    expectError(await send('set_auto_top_up', headers, SETTINGS), 404, /has not stored this card/);
  });

  test('a payment that asks for authentication is completed by the owner', async () => {
    const { key } = await newAccount();
    const headers = { 'X-Api-Key': key };
    await turnOn(headers, 'pm_card_authenticationRequired');
    const reason = async () =>
      ((await read(headers)) as { paused: { reason: string } | null }).paused?.reason;
    await expect.poll(reason, { timeout: 30_000 }).toBe('authentication_required');
    const { status, body } = await call('GET', 'billing/top_up_payment', { headers }, own.url);
    expect(status).toBe(200);
    const { payment_intent_id, payment_method_id } = body as { [name: string]: string };
    await own.stripe.paymentIntents.confirm(payment_intent_id as string, {
      payment_method: payment_method_id as string,
    });
    await own.standIn.authenticate(payment_intent_id as string, true);
    expect(await send('confirm_payment', headers, { payment_intent_id })).toMatchObject({ status: 200 });
    await expect.poll(reason).toBeUndefined();
    expect(await own.credit(headers)).toBe(2_000 * CENT);
    expectError(await call('GET', 'billing/top_up_payment', { headers }, own.url), 404);
  });
});

describe('an owner that changes', () => {
  test('ends the top-up at a transfer: neither wallet charges the card of the other', async () => {
    const [former, next] = [await eoa(), await eoa()];
    const hash = walletIdentity(former.address);
    await accountOf(former)('newChainSecuredAccount', ['', '']);
    const asFormer = await billingAuth(former);
    await own.payAndConfirm(asFormer, { cents: 1_000 });
    const setup_intent_id = await enterCard(asFormer);
    const settings = { ...SETTINGS, setup_intent_id };
    expect(await send('set_auto_top_up', asFormer, settings)).toMatchObject({ status: 200 });
    await accountOf(former)('transferChainSecuredAccountOwnership', [hash, next.address]);
    const block = await accountOf(next)('acceptAccount', [hash]);
    const minBlock = { 'X-Min-Block': String(block) };
    const asNext = { ...(await billingAuth(next)), ...minBlock };

    // The credit falls below the threshold that the former owner has set.
    const database = await openDatabase({ url: own.databaseUrl, poolSize: 1 });
    await move(database.db, hash, 'reverse', BigInt(CENT), { externalId: 'spent', reason: 'spent' });
    await database.close();
    const setup = await own.stripe.setupIntents.retrieve(setup_intent_id);
    const holder = async () =>
      (await own.stripe.paymentMethods.retrieve(String(setup.payment_method))).customer;
    await expect.poll(holder, { timeout: 30_000 }).toBeNull();
    expect(await intentsOf(hash)).toHaveLength(1);
    expect(await read(asNext)).toBeNull();
    for (const content of [settings, SETTINGS])
      expectError(await send('set_auto_top_up', asNext, content), 404);
    const late = { ...asFormer, ...minBlock };
    for (const path of ['create_setup_intent', 'remove_auto_top_up'])
      expectError(await send(path, late, {}), 401);
    expectError(await send('set_auto_top_up', late, settings), 401);

    await send('set_auto_top_up', asNext, { ...SETTINGS, setup_intent_id: await enterCard(asNext) });
    await expect.poll(() => own.credit(asNext), { timeout: 30_000 }).toBe(2_999 * CENT);
    const charged = (await intentsOf(hash)).filter(({ customer }) => customer === setup.customer);
    expect(charged).toEqual([]);
  });

  test('ends the top-up at a rotation of the account key', async () => {
    const { key, wallet } = await newAccount();
    const headers = { 'X-Api-Key': key };
    await own.payAndConfirm(headers, { cents: 1_000 });
    expect(await turnOn(headers)).toMatchObject({ status: 200 });
    const next = newKeyText();
    const body = { new_api_key: hex(apiKeyHash(next)), new_wallet_address: wallet };
    const rotated = await post('rotate_account_key', body, key);
    const block = expectWritten(rotated);
    expect(await read({ 'X-Api-Key': next, 'X-Min-Block': String(block) })).toBeNull();
  });
});

describeBadBodies('billing/set_auto_top_up', 400, () => account.key, [
  { ...SETTINGS, threshold_cents: 0 },
  { ...SETTINGS, threshold_cents: 100_000_000 },
  { ...SETTINGS, amount_cents: 499 },
  { ...SETTINGS, amount_cents: 1_000_001, monthly_limit_cents: 99_999_999 },
  { ...SETTINGS, monthly_limit_cents: 1_999 },
  { ...SETTINGS, monthly_limit_cents: 100_000_000 },
  { ...SETTINGS, setup_intent_id: 'pi_1' },
  { ...SETTINGS, setup_intent_id: 'seti_1/cancel' },
]);

test('returns 404 without settings in the shared stack', async () => {
  expect(await get('billing/auto_top_up', account.key)).toMatchObject({ status: 200 });
  expectError(await get('billing/top_up_payment', account.key), 404);
});
