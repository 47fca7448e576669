import {
  type Account,
  call,
  describeBadBodies,
  expectError,
  hex,
  newAccount,
  pay,
  payAndConfirm,
  type Reply,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, multisig } from '@latchkey/testing/wallet-proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bank,
  CENT,
  inShort,
  type OwnPayments,
  ownPayments,
  readLedger,
  stripe,
} from '../../../test/credit.ts';

const path = 'billing/confirm_payment';
/** A relayer without webhooks: only a confirm credits a payment. */
let own: OwnPayments;
let account: Account;
let headers: Record<string, string>;
beforeAll(async () => {
  own = await ownPayments();
  own.standIn.setDelivery({ isHeld: true });
});
afterAll(() => own?.[Symbol.asyncDispose]());
beforeAll(async () => {
  account = await newAccount();
  headers = { 'X-Api-Key': account.key };
});
const confirm = (payment_intent_id: string, of = headers) =>
  call('POST', path, { headers: of, body: { payment_intent_id } }, own.url);
const done = { status: 200, body: { success: true } };

describe('200', () => {
  test('credits the paid amount; a second confirm succeeds without a second credit', async () => {
    const { key } = await newAccount();
    const of = { 'X-Api-Key': key };
    const id = await own.pay(of, { cents: 1_234 });
    expect(await own.ledger(of)).toEqual([]);
    expect(await confirm(id, of)).toMatchObject(done);
    const ledger = await own.ledger(of);
    expect(inShort(ledger)).toEqual([['credit', 1_234, `payment ${id}`]]);
    expect(ledger).toMatchObject([{ reserve: null, api_key_hash: null }]);
    expect(await confirm(id, of)).toMatchObject(done);
    expect(await own.ledger(of)).toEqual(ledger);
    expect(await own.credit(of)).toBe(1_234 * CENT);
  });

  test('credits two payments of the same amount twice', async () => {
    const of = { 'X-Api-Key': (await newAccount()).key };
    await own.payAndConfirm(of);
    await own.payAndConfirm(of);
    expect(await own.credit(of)).toBe(1_000 * CENT);
  });

  test('credits the rest of a payment that was refunded before the confirm, with each movement in the ledger', async () => {
    const of = { 'X-Api-Key': (await newAccount()).key };
    const id = await own.pay(of, { cents: 1_000 });
    const refund = await own.stripe.refunds.create({ payment_intent: id, amount: 300 });
    expect(await confirm(id, of)).toMatchObject(done);
    expect(inShort(await own.ledger(of))).toEqual([
      ['credit', 1_000, `payment ${id}`],
      ['reverse', 300, `refund ${refund.id}`],
    ]);
  });

  test("credits a payment after the payer's authentication", async () => {
    const of = { 'X-Api-Key': (await newAccount()).key };
    const id = await own.pay(of, { card: 'pm_card_authenticationRequired' });
    expectError(await confirm(id, of), 409, /requires_action/);
    expect(await own.ledger(of)).toEqual([]);
    await own.standIn.authenticate(id, true);
    expect(await confirm(id, of)).toMatchObject(done);
    expect(await own.credit(of)).toBe(500 * CENT);
  });

  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
  ])('accepts the admin wallet of a ChainSecured account: %s', async (_what, open) => {
    const admin = await open();
    await accountOf(admin)('newChainSecuredAccount', ['', '']);
    const auth = await billingAuth(admin);
    const id = await own.pay(auth);
    expect(await confirm(id, auth)).toMatchObject(done);
    expect(inShort(await own.ledger(auth))).toEqual([['credit', 500, `payment ${id}`]]);
  });

  test('1,000 concurrent confirms of one intent and repeated webhooks give one credit', async () => {
    await using busy = await ownPayments();
    const of = { 'X-Api-Key': (await newAccount()).key };
    busy.standIn.setDelivery({ isHeld: true, copies: 20 });
    const payment_intent_id = await busy.pay(of, { cents: 777 });
    const send = async (index: number): Promise<Reply> => {
      // Some repeat an earlier request.
      const repeated = index % 4 === 0 ? { 'Idempotency-Key': String(index % 40) } : undefined;
      const options = { headers: { ...of, ...repeated }, body: { payment_intent_id } };
      // A listener does not accept this many concurrent connections: requests that it resets are sent again.
      return call('POST', path, options, busy.url).catch(() => send(index));
    };
    const confirms = Promise.all(Array.from({ length: 1_000 }, (_value, index) => send(index)));
    const [replies, deliveries] = await Promise.all([confirms, busy.standIn.flush()]);
    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 1_000 }, () => [200, { success: true }]),
    );
    expect(deliveries.length).toBeGreaterThanOrEqual(20);
    // Requests that the relayer refused for load are sent again.
    await busy.standIn.idle();
    const taken = busy.standIn.attempts.filter(({ status }) => status === 200);
    expect(taken.length).toBeGreaterThanOrEqual(deliveries.length);
    expect(busy.standIn.attempts.every(({ status }) => status === 200 || status === null)).toBe(true);
    expect(inShort(await busy.ledger(of))).toEqual([['credit', 777, `payment ${payment_intent_id}`]]);
    expect(await busy.credit(of)).toBe(777 * CENT);
  }, 600_000);
});

describeBadBodies(path, 400, () => account.key, [
  { payment_intent_id: '' },
  { payment_intent_id: 'ch_1' },
  { payment_intent_id: 'pi_1/refunds' },
  { payment_intent_id: 'pi_1?expand=customer' },
  { payment_intent_id: `pi_${'a'.repeat(251)}` },
]);

describe('404', () => {
  test("another account's intent, and credits neither account", async () => {
    const owner = { 'X-Api-Key': (await newAccount()).key };
    const thief = { 'X-Api-Key': (await newAccount()).key };
    const id = await own.pay(owner);
    expectError(await confirm(id, thief), 404, /does not have this payment/);
    expect(await own.ledger(thief)).toEqual([]);
    expect(await own.ledger(owner)).toEqual([]);
    expect(await confirm(id, owner)).toMatchObject(done);
    expectError(await confirm(id, thief), 404);
    expect(await own.credit(thief)).toBe(0);
  });

  test('an unknown id', async () => {
    const missing = await confirm('pi_3MtwBwLkdIwHu7ix28a3tqPa');
    const others = await confirm(await own.pay({ 'X-Api-Key': (await newAccount()).key }));
    expectError(missing, 404);
    // The reply does not reveal which ids exist.
    expect((missing.body as { message: string }).message).toBe((others.body as { message: string }).message);
  });

  test.each([
    ['of another deployment with the same Stripe account', { deployment: '1:0x0' }],
    ['of no deployment', {}],
  ])('returns 404 for an intent %s, even when it names the account', async (_what, metadata) => {
    const { id } = await own.stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      metadata: { account: hex(account.hash), ...metadata },
    });
    expectError(await confirm(id), 404);
    expect(await own.ledger(headers)).toEqual([]);
  });
});

describe('409', () => {
  test.each([
    ['pm_card_chargeDeclined', 'requires_payment_method'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'requires_payment_method'],
    ['pm_card_authenticationRequired', 'requires_action'],
  ])('returns 409 for a payment with %s: %s', async (card, status) => {
    const id = await own.pay(headers, { card });
    expectError(await confirm(id), 409, new RegExp(status));
    expect(await own.ledger(headers)).toEqual([]);
  });

  test('returns 409 for a payment that is not paid or canceled', async () => {
    const intent = await call(
      'POST',
      'billing/create_payment_intent',
      { headers, body: { amount_cents: 500 } },
      own.url,
    );
    const { payment_intent_id: id } = intent.body as { payment_intent_id: string };
    expectError(await confirm(id), 409, /requires_payment_method/);
    await own.stripe.paymentIntents.cancel(id);
    expectError(await confirm(id), 409, /canceled/);
    expect(await own.ledger(headers)).toEqual([]);
  });

  test('repeats the first reply for its Idempotency-Key; confirms a paid payment with a new one', async () => {
    const of = { 'X-Api-Key': (await newAccount()).key, 'Idempotency-Key': 'confirm' };
    const id = await own.pay({ 'X-Api-Key': of['X-Api-Key'] }, { card: 'pm_card_authenticationRequired' });
    const first = await confirm(id, of);
    expectError(first, 409);
    await own.standIn.authenticate(id, true);
    const again = await confirm(id, of);
    expectError(again, 409);
    const { request_id: _, ...answer } = first.body as Record<string, unknown>;
    expect(again.body).toMatchObject(answer);
    expect(await confirm(id, { ...of, 'Idempotency-Key': 'another' })).toMatchObject(done);
    expect(await confirm(id, { ...of, 'Idempotency-Key': 'another' })).toMatchObject(done);
    expect(inShort(await own.ledger({ 'X-Api-Key': of['X-Api-Key'] }))).toHaveLength(1);
  });
});

test('gives one credit in the shared stack, with webhooks', async () => {
  const { key } = await newAccount();
  await payAndConfirm({ 'X-Api-Key': key });
  const id = await pay({ 'X-Api-Key': key }, { cents: 600 });
  const paid = async () =>
    inShort(await readLedger({ 'X-Api-Key': key })).filter(([kind]) => kind === 'credit').length;
  // Confirmed by its webhook only.
  await expect.poll(paid).toBe(3);
  await stripe.refunds.create({ payment_intent: id });
  await expect.poll(async () => (await readLedger({ 'X-Api-Key': key })).at(-1)?.kind).toBe('reverse');
  await bank('disputes', { of: id });
  await expect
    .poll(async () => inShort(await readLedger({ 'X-Api-Key': key })).at(-1)?.[2])
    .toMatch(/^dispute /);
});
