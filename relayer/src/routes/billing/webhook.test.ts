import { signatureHeader } from '@latchkey/stripe-stand-in/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectError, hex, newAccount, type Reply } from '@latchkey/testing/stack';
import type Stripe from 'stripe';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CENT, inShort, ownPayments } from '../../../test/credit.ts';

const own = disposeAfterAll(await ownPayments());
beforeAll(async () => {
  own.standIn.setDelivery({ isHeld: true });
});

let account: { hash: bigint; key: string };
let headers: Record<string, string>;
beforeEach(async () => {
  account = await newAccount();
  headers = { 'X-Api-Key': account.key };
});

const nowSec = () => Math.floor(Date.now() / 1_000);
async function send(body: string, signature: string | undefined): Promise<Reply> {
  const response = await fetch(own.webhookUrl, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(signature !== undefined && { 'Stripe-Signature': signature }),
    },
    body,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}
const received = { status: 200, body: { received: true } };

/** The events of a payment, oldest first. */
const listEvents = (intent: string): Stripe.EventBase[] =>
  own.standIn.events().filter(({ data }) => {
    const { id, payment_intent } = data.object as { id: string; payment_intent?: string };
    return id === intent || payment_intent === intent;
  });
/** Delivers all events, each twice, in this order, and expects each to be accepted. */
async function deliver(events: Stripe.EventBase[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  const attempts = await own.standIn.deliver([...ids, ...ids]);
  expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 200));
}

type Life = {
  what: string;
  card?: string;
  live?: (intent: string) => Promise<unknown>;
  /** The entries in the ledger at the end, larger amounts first. */
  ledger: [kind: string, cents: number, reason: RegExp][];
};
const paid: Life['ledger'][number] = ['credit', 2_000, /^payment pi_/];
const createRefund = (intent: string, amount?: number) =>
  own.stripe.refunds.create({ payment_intent: intent, ...(amount !== undefined && { amount }) });
const lives: Life[] = [
  { what: 'a payment', ledger: [paid] },
  { what: 'a declined payment', card: 'pm_card_chargeDeclined', ledger: [] },
  {
    what: 'partial refunds',
    live: async (intent) => {
      await createRefund(intent, 1);
      await createRefund(intent, 700);
    },
    ledger: [paid, ['reverse', 700, /^refund re_/], ['reverse', 1, /^refund re_/]],
  },
  {
    what: 'a full refund',
    live: (intent) => createRefund(intent),
    ledger: [paid, ['reverse', 2_000, /^refund re_/]],
  },
  {
    what: 'a refund that settles late',
    card: 'pm_card_pendingRefund',
    live: async (intent) => own.standIn.succeedRefund((await createRefund(intent, 300)).id),
    ledger: [paid, ['reverse', 300, /^refund re_/]],
  },
  {
    what: 'a refund that fails later',
    live: async (intent) => own.standIn.failRefund((await createRefund(intent, 300)).id),
    ledger: [paid, ['reverse', 300, /^refund re_/], ['credit', 300, /^refund re_\w+ failed$/]],
  },
  {
    what: 'an open dispute',
    live: (intent) => own.standIn.openDispute({ of: intent }),
    ledger: [paid, ['reverse', 2_000, /^dispute d[up]_/]],
  },
  {
    what: 'a lost dispute',
    live: async (intent) =>
      own.standIn.resolveDispute((await own.standIn.openDispute({ of: intent, amount: 900 })).id, 'lost'),
    ledger: [paid, ['reverse', 900, /^dispute d[up]_/]],
  },
  {
    what: 'a won dispute',
    live: async (intent) =>
      own.standIn.resolveDispute((await own.standIn.openDispute({ of: intent })).id, 'won'),
    ledger: [paid, ['reverse', 2_000, /^dispute d[up]_/], ['credit', 2_000, /^dispute d[up]_\w+ won$/]],
  },
  {
    what: 'a closed inquiry',
    live: async (intent) =>
      own.standIn.resolveDispute(
        (await own.standIn.openDispute({ of: intent, isInquiry: true })).id,
        'warning_closed',
      ),
    ledger: [paid],
  },
  {
    what: 'an inquiry that becomes a dispute',
    live: async (intent) =>
      own.standIn.escalateInquiry((await own.standIn.openDispute({ of: intent, isInquiry: true })).id),
    ledger: [paid, ['reverse', 2_000, /^dispute d[up]_/]],
  },
];

describe('returns 200 and enters each movement once', () => {
  describe.each([
    ['in order', (events: Stripe.EventBase[]) => events],
    ['backwards', (events: Stripe.EventBase[]) => events.toReversed()],
  ] as const)('for events %s, each twice', (_order, arrange) => {
    test.each(lives)('$what', async ({ card, live, ledger }) => {
      const intent = await own.pay(headers, { cents: 2_000, ...(card !== undefined && { card }) });
      await live?.(intent);
      const events = listEvents(intent);
      expect(events.length).toBeGreaterThan(0);
      await deliver(arrange(events));
      const entries = await own.ledger(headers);
      // Refunds that one read finds arrive latest first.
      const found = inShort(entries).sort(([, one], [, other]) => Number(other) - Number(one));
      expect(found).toEqual(
        ledger.map(([kind, cents, reason]) => [kind, cents, expect.stringMatching(reason)]),
      );
      const cents = ledger.reduce((sum, [kind, part]) => (kind === 'credit' ? sum + part : sum - part), 0);
      expect(await own.credit(headers)).toBe(cents * CENT);
    });
  });

  test('enters after each event the state at that time', async () => {
    const intent = await own.pay(headers, { cents: 2_000 });
    await deliver(listEvents(intent));
    expect(await own.credit(headers)).toBe(2_000 * CENT);
    const dispute = await own.standIn.openDispute({ of: intent });
    await deliver(listEvents(intent).filter(({ type }) => type === 'charge.dispute.created'));
    expect(await own.credit(headers)).toBe(0);
    await own.standIn.resolveDispute(dispute.id, 'won');
    await deliver(listEvents(intent).filter(({ type }) => type === 'charge.dispute.closed'));
    expect(await own.credit(headers)).toBe(2_000 * CENT);
    await deliver(listEvents(intent));
    expect(await own.credit(headers)).toBe(2_000 * CENT);
  });

  test('a negative balance is owed', async () => {
    const first = await own.pay(headers, { cents: 500 });
    await createRefund(first);
    await own.standIn.openDispute({ of: first });
    await deliver(listEvents(first));
    expect(await own.credit(headers)).toBe(-500 * CENT);
  });

  test.each([
    ['of another deployment with the same Stripe account', { deployment: '1:0x0' }],
    ['of no deployment', {}],
  ])('a payment %s changes nothing, even when it names the account', async (_what, metadata) => {
    const { id } = await own.stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      metadata: { account: hex(account.hash), ...metadata },
    });
    await deliver(listEvents(id));
    expect(await own.ledger(headers)).toEqual([]);
  });

  test("an event that claims more than Stripe's state changes nothing", async () => {
    const intent = await own.pay(headers, { card: 'pm_card_chargeDeclined' });
    const forge = (object: object) => {
      const body = JSON.stringify({
        id: 'evt_1',
        object: 'event',
        type: 'payment_intent.succeeded',
        data: { object },
      });
      return send(body, signatureHeader(body, ['whsec_1'], nowSec()));
    };
    const metadata = { account: hex(account.hash) };
    const told = { object: 'payment_intent', status: 'succeeded', amount_received: 900, metadata };
    expect(await forge({ ...told, id: intent })).toMatchObject(received);
    expect(await forge({ ...told, id: 'pi_unknown' })).toMatchObject(received);
    expect(await forge({ id: 'cus_1', object: 'customer' })).toMatchObject(received);
    expect(await forge({ id: 're_1', object: 'refund', payment_intent: null })).toMatchObject(received);
    expect(await own.ledger(headers)).toEqual([]);
  });
});

describe('signatures', () => {
  /** An event that would credit the account. */
  const bodyFor = async () => {
    const intent = await own.pay(headers);
    const event = listEvents(intent).find(({ type }) => type === 'payment_intent.succeeded');
    return JSON.stringify(event);
  };

  test.each([
    ['the first secret', ['whsec_1']],
    ['the second secret, during a rotation', ['whsec_2']],
    ['both', ['whsec_1', 'whsec_2']],
    ['another and a configured secret', ['whsec_other', 'whsec_2']],
  ])('200: %s', async (_what, secrets) => {
    const body = await bodyFor();
    expect(await send(body, signatureHeader(body, secrets, nowSec()))).toMatchObject(received);
    expect(await own.credit(headers)).toBe(500 * CENT);
  });

  test('returns 200 for an event that is 290 seconds old', async () => {
    const body = await bodyFor();
    expect(await send(body, signatureHeader(body, ['whsec_1'], nowSec() - 290))).toMatchObject(received);
    expect(await own.credit(headers)).toBe(500 * CENT);
  });

  test.each([
    ['another secret', (body: string) => signatureHeader(body, ['whsec_other'], nowSec())],
    ['an empty secret', (body: string) => signatureHeader(body, [''], nowSec())],
    ['an age above 300 seconds', (body: string) => signatureHeader(body, ['whsec_1'], nowSec() - 305)],
    ['the signature of another text', (body: string) => signatureHeader(`${body} `, ['whsec_1'], nowSec())],
    [
      'a later time than the signed one',
      (body: string) => signatureHeader(body, ['whsec_1'], nowSec() - 305).replace(/^t=\d+/, `t=${nowSec()}`),
    ],
    ['no time', (body: string) => signatureHeader(body, ['whsec_1'], nowSec()).replace(/^t=\d+,/, '')],
    ['another scheme', (body: string) => signatureHeader(body, ['whsec_1'], nowSec()).replace('v1=', 'v0=')],
    ['no signature', () => 'x'],
    ['nothing', () => ''],
  ])('400: %s', async (_what, sign) => {
    const body = await bodyFor();
    const reply = await send(body, sign(body));
    expectError(reply, 400, /signature of the event is invalid or older than 300 seconds/);
    expect(JSON.stringify(reply.body)).not.toMatch(/whsec/);
    expect(await own.ledger(headers)).toEqual([]);
  });

  test('returns 422 without the header', async () => {
    expectError(await send(await bodyFor(), undefined), 422, /stripe-signature/);
    expect(await own.ledger(headers)).toEqual([]);
  });
});

test('returns 413 above 256 KiB; the signature covers the bytes, not the JSON', async () => {
  const body = (length: number) =>
    JSON.stringify({ id: 'evt_1', data: { object: { object: 'customer' } } }).padEnd(length);
  const limit = 256 * 1_024;
  const sendSigned = (text: string) => send(text, signatureHeader(text, ['whsec_1'], nowSec()));
  expect(await sendSigned(body(limit))).toMatchObject(received);
  expectError(await sendSigned(body(limit + 1)), 413);
});

test('returns 503 while Stripe is down; accepts the redelivered event afterwards', async () => {
  const intent = await own.pay(headers);
  const ids = listEvents(intent)
    .filter(({ type }) => type === 'payment_intent.succeeded')
    .map(({ id }) => id);
  own.standIn.failNext({ kind: 'server_error', times: 3, path: '/v1/payment_intents' });
  expect(await own.standIn.deliver(ids)).toMatchObject([{ status: 503 }]);
  expect(await own.ledger(headers)).toEqual([]);
  expect(await own.standIn.deliver(ids)).toMatchObject([{ status: 200 }]);
  expect(await own.credit(headers)).toBe(500 * CENT);
});
