/** Automatic top-ups against a Stripe stand-in: several relayers on one database, crashes, refusing cards, and owners who come and go. */
import { createLogger } from '@latchkey/service/logger';
import { PUBLISHABLE_KEY, SECRET_KEY, startWithSdk } from '@latchkey/stripe-stand-in/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { isNotNull, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import {
  autoTopUps,
  cardDetachments,
  topUpCharges,
  webhookDeliveries,
  webhookEndpoints,
} from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { type AutoTopUp, createAutoTopUp, createOwnerCheck } from './auto-top-up.ts';
import { createPayments, type Payments } from './card-payments.ts';
import { createCardProcessor } from './card-processor.ts';
import { availableMicros, move } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';
import type { Owner } from './payments.ts';
import { CardNotStoredError, createStoredCards, UnknownCardError } from './stored-cards.ts';
import { LimitRaisedError } from './top-ups.ts';

const OLD = 'pm_card_visa';
const AUTHENTICATED = 'pm_card_authenticationRequired';
const DECLINED_LATER = 'pm_card_chargeCustomerFail';
const SETTINGS = { thresholdCents: 1_000, amountCents: 2_000, monthlyLimitCents: 6_000 };

let payments: Payments;
let relayers: AutoTopUp[];
/** The owner of each account on the chain. */
const owners = new Map<bigint, bigint>();
/** Called when a relayer asks for the owner. */
let onOwnerAsked: (() => void) | undefined;

const database = disposeAfterAll(await openTestDatabase());
const stripe = disposeAfterAll(await startWithSdk());
beforeAll(async () => {
  stripe.standIn.setDelivery({ isHeld: true });
  const log = createLogger({ name: 'test', level: 'silent' });
  const options = {
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
    webhookSecrets: [],
    apiUrl: stripe.standIn.url,
    deployment: '1:0xaa',
  };
  const { db } = database;
  payments = createPayments(db, createCardProcessor(options), log);
  const isOwner = async ({ account, owner }: Owner): Promise<boolean> => {
    const answer = owners.get(account) === owner;
    onOwnerAsked?.();
    return answer;
  };
  const open = () => createAutoTopUp({ db, cards: createStoredCards(options), payments, isOwner, log });
  relayers = [open(), open(), open()];
});

const relayer = (): AutoTopUp => relayers[0] as AutoTopUp;
/** One look of a relayer for what is to be done. */
const look = (by = relayer()): Promise<void> => by.run(new AbortController().signal);
/** The processes that held leases are gone, an hour has passed for limits, and it is time for a check of all owners. */
const passTime = async (): Promise<void> => {
  const { db } = database;
  await db.update(topUpCharges).set({ leaseUntil: sql`now()` });
  await db.update(cardDetachments).set({ dueAt: sql`now()` });
  await db.update(autoTopUps).set({ checkedAt: sql`now() - interval '1 hour'` });
  await db.update(autoTopUps).set({ dueAt: sql`now()` }).where(isNotNull(autoTopUps.dueAt));
};

let lastAccount = 0x100n;
const newOwner = (account = ++lastAccount): Owner => {
  const owner = ++lastAccount;
  owners.set(account, owner);
  return { account, owner };
};
/** Enters a card as its holder does in the browser. */
const enterCard = async (owner: Owner, card = OLD): Promise<string> => {
  const { id } = await relayer().createSetup(owner, crypto.randomUUID());
  const { status } = await stripe.sdk.setupIntents.confirm(id, { payment_method: card });
  if (status === 'requires_action') await stripe.standIn.authenticateSetup(id, true);
  return id;
};
/** An account without credit whose owner turns the top-up on. */
const turnOn = async (card = OLD, settings: Partial<typeof SETTINGS> = {}): Promise<Owner> => {
  const owner = newOwner();
  await relayer().set(owner, { ...SETTINGS, ...settings }, await enterCard(owner, card));
  return owner;
};
const credit = async ({ account }: Owner): Promise<number> =>
  Number((await availableMicros(database.db, account)) / MICROS_PER_CENT);
const spend = ({ account }: Owner, cents: number) =>
  move(database.db, account, 'reverse', BigInt(cents) * MICROS_PER_CENT, {
    externalId: crypto.randomUUID(),
    reason: 'spent',
  });
const intentsOf = async ({ account }: Owner) => {
  const all = await stripe.sdk.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return all.filter(({ metadata }) => metadata.account === hashText(account));
};
/** Stripe charges, and its reply is lost. The SDK repeats the request when the connection was closed. */
const loseReply = () =>
  stripe.standIn.failNext({ kind: 'lost_reply', times: 2, method: 'POST', path: '/v1/payment_intents' });
const countRefunds = async (intent: { id: string } | undefined): Promise<number> =>
  (await stripe.sdk.refunds.list({ payment_intent: intent?.id as string })).data.length;
const statuses = async (owner: Owner) => (await intentsOf(owner)).map(({ status }) => status);
const cardOf = async (owner: Owner): Promise<string> => {
  const found = await relayer().read(owner);
  return found?.paymentMethod ?? '';
};
const holderOf = async (card: string) => (await stripe.sdk.paymentMethods.retrieve(card)).customer;

describe('exactly once', () => {
  test('several relayers charge one crossing once, and nothing while the credit is above the threshold', async () => {
    const owner = await turnOn();
    await Promise.all([...relayers, ...relayers].map(look));
    expect(await statuses(owner)).toEqual(['succeeded']);
    expect(await credit(owner)).toBe(2_000);
    await Promise.all(relayers.map(look));
    await spend(owner, 1_000);
    await look();
    expect(await statuses(owner)).toHaveLength(1);
    await spend(owner, 1);
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['succeeded', 'succeeded']);
    expect(await credit(owner)).toBe(2_999);
  });

  test('the webhook before the reply, repeated and late webhooks, and confirms add no second credit', async () => {
    const owner = await turnOn();
    await look();
    const [intent] = await intentsOf(owner);
    for (let copy = 0; copy < 3; copy++) await payments.credit(intent?.id as string);
    await payments.confirm(owner.account, intent?.id as string);
    await passTime();
    await look();
    expect(await credit(owner)).toBe(2_000);
    expect(await statuses(owner)).toEqual(['succeeded']);
  });

  test('a lost reply is not charged again: the process that continues finds the payment', async () => {
    const owner = await turnOn();
    loseReply();
    await look();
    expect(await credit(owner)).toBe(0);
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['succeeded']);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['succeeded']);
    expect(await credit(owner)).toBe(2_000);
  });

  test('a request that Stripe did not execute is sent again, with the same key', async () => {
    const owner = await turnOn();
    stripe.standIn.failNext({ kind: 'server_error', method: 'POST', path: '/v1/payment_intents' });
    await look();
    expect(await statuses(owner)).toEqual([]);
    await look();
    expect(await statuses(owner)).toEqual([]);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['succeeded']);
    expect(await credit(owner)).toBe(2_000);
  });

  test('a process that dies after the payment leaves it to the webhook, and nothing is charged twice', async () => {
    const owner = await turnOn();
    loseReply();
    await look();
    const [intent] = await intentsOf(owner);
    await payments.credit(intent?.id as string);
    expect(await credit(owner)).toBe(2_000);
    await passTime();
    await look();
    expect(await statuses(owner)).toEqual(['succeeded']);
    expect(await credit(owner)).toBe(2_000);
  });
});

describe('limits', () => {
  test('the monthly limit holds for concurrent crossings', async () => {
    const owner = await turnOn(OLD, { thresholdCents: 100_000 });
    for (let round = 0; round < 5; round++) await Promise.all([...relayers, ...relayers].map(look));
    expect(await statuses(owner)).toHaveLength(3);
    expect(await credit(owner)).toBe(6_000);
    expect(await relayer().read(owner)).toMatchObject({ chargedCents: 6_000, pauseReason: null });
    await database.db
      .update(topUpCharges)
      .set({ createdAt: sql`${topUpCharges.createdAt} - interval '32 days'` });
    await look();
    expect(await statuses(owner)).toHaveLength(3);
    await passTime();
    await look();
    expect(await statuses(owner)).toHaveLength(4);
  });

  test('the monthly limit of a stored card does not rise without the card', async () => {
    const owner = await turnOn(OLD);
    const set = (monthlyLimitCents: number, setup?: string) =>
      relayer().set(owner, { ...SETTINGS, monthlyLimitCents }, setup);
    await expect(set(6_001)).rejects.toThrow(LimitRaisedError);
    expect(await set(5_000)).toMatchObject({ monthlyLimitCents: 5_000 });
    await expect(set(6_000)).rejects.toThrow(LimitRaisedError);
    expect(await relayer().read(owner)).toMatchObject({ monthlyLimitCents: 5_000 });
    expect(await set(6_001, await enterCard(owner))).toMatchObject({ monthlyLimitCents: 6_001 });
  });

  test('ten charges a day, also when settings are stored again', async () => {
    const settings = { thresholdCents: 1_000_000, amountCents: 500, monthlyLimitCents: 1_000_000 };
    const owner = await turnOn(OLD, settings);
    for (let round = 0; round < 12; round++) {
      await look();
      await relayer().set(owner, settings, undefined);
    }
    expect(await statuses(owner)).toHaveLength(10);
  });
});

describe('a card that refuses', () => {
  test('is charged once: the top-up is paused with the reason, and its account told, until the owner acts', async () => {
    const owner = await turnOn(DECLINED_LATER);
    const account = hashText(owner.account);
    const endpoint = {
      account,
      url: 'https://a.invalid/',
      types: ['auto_top_up.paused' as const],
      secret: '',
    };
    const [webhook] = await database.db.insert(webhookEndpoints).values(endpoint).returning();
    for (let round = 0; round < 3; round++) await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['requires_payment_method']);
    expect(await relayer().read(owner)).toMatchObject({
      pauseReason: 'card_declined',
      declineCode: 'generic_decline',
      chargedCents: 0,
    });
    const told = (await database.db.select().from(webhookDeliveries)).filter(
      ({ endpointId }) => endpointId === webhook?.id,
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toMatchObject({
      type: 'auto_top_up.paused',
      data: { reason: 'card_declined', decline_code: 'generic_decline', amount_cents: 2_000 },
    });
    const refusing = await cardOf(owner);
    await relayer().set(owner, SETTINGS, await enterCard(owner));
    await look();
    expect(await credit(owner)).toBe(2_000);
    await look();
    expect(await holderOf(refusing)).toBeNull();
  });

  test('and asks for authentication pauses the top-up until its holder completes the payment', async () => {
    const owner = await turnOn(AUTHENTICATED);
    for (let round = 0; round < 3; round++) await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['requires_payment_method']);
    expect(await relayer().read(owner)).toMatchObject({ pauseReason: 'authentication_required' });
    const payment = await relayer().readPayment(owner);
    const { intent = '', clientSecret, paymentMethod = '' } = payment ?? {};
    expect(clientSecret).toMatch(new RegExp(`^${intent}_secret_`));
    await stripe.sdk.paymentIntents.confirm(intent, { payment_method: paymentMethod });
    await passTime();
    await look();
    expect(await credit(owner)).toBe(0);
    await stripe.standIn.authenticate(intent, true);
    await payments.confirm(owner.account, intent);
    await payments.credit(intent);
    expect(await credit(owner)).toBe(2_000);
    expect(await relayer().read(owner)).toMatchObject({ pauseReason: null, chargedCents: 2_000 });
    expect(await relayer().readPayment(owner)).toBeUndefined();
    await look();
    expect(await statuses(owner)).toEqual(['succeeded']);
  });

  test('a payment that waits for authentication is canceled when the owner sets the top-up again', async () => {
    const owner = await turnOn(AUTHENTICATED);
    await look();
    await relayer().set(owner, SETTINGS, await enterCard(owner));
    await look();
    await look();
    expect((await statuses(owner)).sort()).toEqual(['canceled', 'succeeded']);
    expect(await credit(owner)).toBe(2_000);
  });

  test('a card that Stripe does not have any more pauses the top-up', async () => {
    const owner = await turnOn();
    await stripe.sdk.paymentMethods.detach(await cardOf(owner));
    await look();
    expect(await relayer().read(owner)).toMatchObject({ pauseReason: 'card_declined' });
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual([]);
  });
});

test('a payment that is refunded pauses the top-up, which would charge the card again', async () => {
  const owner = await turnOn();
  await look();
  const [intent] = await intentsOf(owner);
  await stripe.sdk.refunds.create({ payment_intent: intent?.id as string });
  await payments.credit(intent?.id as string);
  expect(await credit(owner)).toBe(0);
  expect(await relayer().read(owner)).toMatchObject({ pauseReason: 'payment_taken_back' });
  await Promise.all(relayers.map(look));
  expect(await statuses(owner)).toHaveLength(1);
});

describe('turned off', () => {
  test('charges nothing, and detaches the card', async () => {
    const owner = await turnOn();
    const card = await cardOf(owner);
    await relayer().remove(owner.account);
    expect(await relayer().read(owner)).toBeUndefined();
    await look();
    expect(await statuses(owner)).toEqual([]);
    expect(await holderOf(card)).toBeNull();
  });

  test('a charge that was stored and not sent is not sent any more', async () => {
    const owner = await turnOn();
    stripe.standIn.failNext({ kind: 'server_error', method: 'POST', path: '/v1/payment_intents' });
    await look();
    await relayer().remove(owner.account);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual([]);
  });

  test('a charge that was sent is credited once', async () => {
    const owner = await turnOn();
    loseReply();
    await look();
    await relayer().remove(owner.account);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(owner)).toEqual(['succeeded']);
    expect(await credit(owner)).toBe(2_000);
  });

  test('a card whose detachment failed is detached later', async () => {
    const owner = await turnOn();
    const card = await cardOf(owner);
    await relayer().remove(owner.account);
    stripe.standIn.failNext({
      kind: 'server_error',
      times: 3,
      method: 'POST',
      path: `/v1/payment_methods/${card}/detach`,
    });
    await look();
    expect(await holderOf(card)).not.toBeNull();
    await passTime();
    await look();
    expect(await holderOf(card)).toBeNull();
  });
});

describe('an account that is given away', () => {
  test("the former owner's card is not charged, and is detached", async () => {
    const former = await turnOn();
    const card = await cardOf(former);
    const next = newOwner(former.account);
    await Promise.all(relayers.map(look));
    expect(await statuses(former)).toEqual([]);
    expect(await relayer().read(former)).toBeUndefined();
    expect(await relayer().read(next)).toBeUndefined();
    await look();
    expect(await holderOf(card)).toBeNull();
  });

  test('its settings end also when nothing is to be charged', async () => {
    const former = await turnOn();
    const card = await cardOf(former);
    await look();
    newOwner(former.account);
    await passTime();
    await look();
    await look();
    expect(await relayer().read(former)).toBeUndefined();
    expect(await holderOf(card)).toBeNull();
  });

  test('a charge that was stored before and not sent is not sent', async () => {
    const former = await turnOn();
    stripe.standIn.failNext({ kind: 'server_error', method: 'POST', path: '/v1/payment_intents' });
    await look();
    newOwner(former.account);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(former)).toEqual([]);
  });

  test('a charge that was sent in the moment of the transfer is refunded', async () => {
    const former = await turnOn();
    onOwnerAsked = () => {
      onOwnerAsked = undefined;
      newOwner(former.account);
    };
    await look();
    const [intent] = await intentsOf(former);
    expect(intent?.status).toBe('succeeded');
    expect(await countRefunds(intent)).toBe(1);
    expect(await credit(former)).toBe(0);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(former)).toHaveLength(1);
    expect(await countRefunds(intent)).toBe(1);
  });

  test('a charge of that moment is refunded too when the webhook credits it and the process that sent it dies', async () => {
    const former = await turnOn();
    loseReply();
    await look();
    newOwner(former.account);
    const [intent] = await intentsOf(former);
    for (let copy = 0; copy < 2; copy++) await payments.credit(intent?.id as string);
    expect(await credit(former)).toBe(2_000);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await countRefunds(intent)).toBe(1);
    expect(await credit(former)).toBe(0);
    await passTime();
    await Promise.all(relayers.map(look));
    expect(await statuses(former)).toEqual(['succeeded']);
    expect(await countRefunds(intent)).toBe(1);
  });

  test('the new owner sees no card, gets no payment of the former one, and cannot use the setup of it', async () => {
    const former = await turnOn(AUTHENTICATED);
    const setup = await enterCard(former);
    await look();
    const { intent = '' } = (await relayer().readPayment(former)) ?? {};
    const next = newOwner(former.account);
    expect(await relayer().read(next)).toBeUndefined();
    expect(await relayer().readPayment(next)).toBeUndefined();
    await expect(relayer().set(next, SETTINGS, undefined)).rejects.toThrow(UnknownCardError);
    await expect(relayer().set(next, SETTINGS, setup)).rejects.toThrow(UnknownCardError);
    await passTime();
    await look();
    await passTime();
    await look();
    expect((await stripe.sdk.paymentIntents.retrieve(intent)).status).toBe('canceled');
  });

  test("the new owner's settings replace the former ones, and charge the own card only", async () => {
    const former = await turnOn();
    const formerCard = await cardOf(former);
    const next = newOwner(former.account);
    await relayer().set(next, { ...SETTINGS, amountCents: 3_000 }, await enterCard(next));
    expect(await holderOf(await cardOf(next))).not.toBe(await holderOf(formerCard));
    await Promise.all(relayers.map(look));
    const charged = (await intentsOf(next)).map(({ amount, metadata }) => [amount, metadata.owner]);
    expect(charged).toEqual([[3_000, hashText(next.owner)]]);
    await passTime();
    await look();
    expect(await holderOf(formerCard)).toBeNull();
  });

  test('settings that the former owner stores in the moment of the transfer charge nothing', async () => {
    const former = newOwner();
    const setup = await enterCard(former);
    const next = newOwner(former.account);
    await relayer().set(former, SETTINGS, setup);
    await Promise.all(relayers.map(look));
    expect(await statuses(former)).toEqual([]);
    expect(await relayer().read(next)).toBeUndefined();
    expect(await relayer().read(former)).toBeUndefined();
  });
});

describe('a card', () => {
  test('is not stored before its setup has succeeded', async () => {
    const owner = newOwner();
    const { id } = await relayer().createSetup(owner, 'once');
    expect((await relayer().createSetup(owner, 'once')).id).toBe(id);
    await expect(relayer().set(owner, SETTINGS, id)).rejects.toThrow(CardNotStoredError);
    await expect(relayer().set(owner, SETTINGS, 'seti_none')).rejects.toThrow(UnknownCardError);
    await stripe.sdk.setupIntents.confirm(id, { payment_method: AUTHENTICATED });
    await expect(relayer().set(owner, SETTINGS, id)).rejects.toThrow(CardNotStoredError);
  });

  test('of a removed top-up is not stored again by its setup', async () => {
    const owner = newOwner();
    const setup = await enterCard(owner);
    await relayer().set(owner, SETTINGS, setup);
    await relayer().remove(owner.account);
    await look();
    await expect(relayer().set(owner, SETTINGS, setup)).rejects.toThrow(UnknownCardError);
  });

  test('of concurrent settings: one is kept, the other is detached', async () => {
    const owner = newOwner();
    owners.set(owner.account, 0n);
    const setups = await Promise.all([enterCard(owner), enterCard(owner)]);
    owners.set(owner.account, owner.owner);
    await Promise.all(setups.map((setup) => relayer().set(owner, SETTINGS, setup)));
    const kept = await cardOf(owner);
    await look();
    const methods = await Promise.all(
      setups.map(async (id) => String((await stripe.sdk.setupIntents.retrieve(id)).payment_method)),
    );
    for (const method of methods) expect((await holderOf(method)) !== null).toBe(method === kept);
  });
});

describe('the owner', () => {
  const state = {
    state: 1,
    masterApiKeyHash: 5n,
    adminWalletAddress: '0x2222222222222222222222222222222222222222',
    managed: true,
    accepted: true,
  };
  const check = (answer: Partial<typeof state>) =>
    createOwnerCheck(
      { read: async () => ({ ...state, ...answer }) as never },
      { get: async () => 0n },
    )({ account: 5n, owner: 6n });

  test('of a managed account is its account key', async () => {
    expect(await check({})).toBe(true);
    const others = [{ state: 2 }, { state: 4 }, { state: 6 }, { masterApiKeyHash: 7n }];
    for (const other of others) expect(await check(other)).toBe(false);
  });

  test('of a ChainSecured account is neither the former account key nor a wallet that has not accepted', async () => {
    expect(await check({ managed: false })).toBe(false);
    expect(await check({ accepted: false })).toBe(false);
  });
});
