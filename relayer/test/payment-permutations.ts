/**
 * Random lives of payments (failing cards, partial and failing refunds, disputes, inquiries), observed by confirms and
 * signed events in any order, any number of times, or never. After every observation the ledger must equal an
 * independent model.
 *
 * node relayer/test/payment-permutations.ts [--count N] [--seed S]
 */
import { parseArgs } from 'node:util';
import { createLogger } from '@latchkey/service/logger';
import { type StripeStandIn, startStripe } from '@latchkey/stripe-stand-in';
import { PUBLISHABLE_KEY, postAsPayer, SECRET_KEY, signatureHeader } from '@latchkey/stripe-stand-in/testing';
import { pick, type Random, randomFrom } from '@latchkey/testing/random';
import Stripe from 'stripe';
import {
  createPayments,
  type Payments,
  UnknownPaymentError,
  UnpaidError,
} from '../src/billing/card-payments.ts';
import { createCardProcessor } from '../src/billing/card-processor.ts';
import { availableMicros } from '../src/billing/ledger.ts';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './database.ts';

const WEBHOOK_SECRET = 'whsec_permutations';
/** Permutations per stand-in and database: both get slower as they grow. */
const BATCH = 50;
const ACCOUNTS = 3;

type Outcome = { looks: number; movedCents: number };

/** The credit that a payment is worth to its account, computed from the acts alone and not from the product. */
type Modelled = {
  id: string;
  account: bigint;
  cents: number;
  paid: boolean;
  refundedCents: number;
  /** Cents that disputes withhold or have taken. */
  withdrawnCents: number;
  refunds: { id: string; cents: number; failed: boolean }[];
  dispute?: { id: string; isInquiry: boolean; isOpen: boolean };
  /** Worth when the product looked last. */
  seenCents: number;
};

const computeWorth = ({ paid, cents, refundedCents, withdrawnCents }: Modelled): number =>
  paid ? cents - refundedCents - withdrawnCents : 0;

class Life {
  readonly modelled: Modelled[] = [];
  looks = 0;
  readonly #random: Random;
  readonly #standIn: StripeStandIn;
  readonly #sdk: Stripe;
  readonly #payments: Payments;
  readonly #db: Database;
  readonly #accounts: bigint[];
  readonly #firstEvent: number;

  constructor(random: Random, parts: Parts, accounts: bigint[]) {
    this.#random = random;
    this.#standIn = parts.standIn;
    this.#sdk = parts.sdk;
    this.#payments = parts.payments;
    this.#db = parts.db;
    this.#accounts = accounts;
    this.#firstEvent = parts.standIn.events().length;
  }

  events() {
    return this.#standIn.events().slice(this.#firstEvent);
  }

  async check(what: string, accounts = this.#accounts): Promise<void> {
    for (const account of accounts) {
      const expected = this.modelled
        .filter((payment) => payment.account === account)
        .reduce((sum, { seenCents }) => sum + seenCents, 0);
      const found = await availableMicros(this.#db, account);
      if (found !== BigInt(expected) * 10_000n)
        throw new Error(`after ${what}: account ${account} has ${found}, expected ${expected} cents`);
    }
  }

  async pay(): Promise<void> {
    const account = pick(this.#random, this.#accounts);
    const cents = 500 + this.#random(10_000);
    const { id, clientSecret } = await this.#payments.createIntent(
      { account, owner: account },
      cents,
      crypto.randomUUID(),
    );
    const payment: Modelled = {
      id,
      account,
      cents,
      paid: false,
      refundedCents: 0,
      withdrawnCents: 0,
      refunds: [],
      seenCents: 0,
    };
    this.modelled.push(payment);
    const attempts = this.#random(3);
    const confirm = (payment_method: string) =>
      postAsPayer(`${this.#standIn.url}/v1/payment_intents/${id}/confirm`, {
        client_secret: clientSecret,
        payment_method,
      });
    for (let attempt = 0; attempt < attempts; attempt++) {
      await confirm('pm_card_chargeDeclined');
      if (this.#random(3) === 0) await this.look(payment);
    }
    const ending = this.#random(8);
    if (ending === 0) return;
    if (ending < 3) {
      await confirm('pm_card_authenticationRequired');
      if (this.#random(2) === 0) await this.look(payment);
      payment.paid = this.#random(3) > 0;
      await this.#standIn.authenticate(id, payment.paid);
    } else {
      await confirm('pm_card_visa');
      payment.paid = true;
    }
  }

  async refund(): Promise<void> {
    const payment = pick(this.#random, this.modelled);
    const left = payment.cents - payment.refundedCents;
    if (!payment.paid || left === 0 || payment.dispute) return;
    const cents = this.#random(3) === 0 ? left : 1 + this.#random(left);
    const { id } = await this.#sdk.refunds.create({ payment_intent: payment.id, amount: cents });
    payment.refunds.push({ id, cents, failed: false });
    payment.refundedCents += cents;
  }

  async failRefund(): Promise<void> {
    const payment = pick(this.#random, this.modelled);
    const refund = payment.refunds.find(({ failed }) => !failed);
    if (!refund || payment.dispute) return;
    await this.#standIn.failRefund(refund.id);
    refund.failed = true;
    payment.refundedCents -= refund.cents;
  }

  async dispute(): Promise<void> {
    const payment = pick(this.#random, this.modelled);
    if (!payment.paid || payment.refundedCents > 0) return;
    const { dispute } = payment;
    if (!dispute) {
      const isInquiry = this.#random(3) === 0;
      const { id } = await this.#standIn.openDispute({ of: payment.id, isInquiry });
      payment.dispute = { id, isInquiry, isOpen: true };
      if (!isInquiry) payment.withdrawnCents = payment.cents;
    } else if (!dispute.isOpen) return;
    else if (dispute.isInquiry) {
      await this.#standIn.escalateInquiry(dispute.id);
      dispute.isInquiry = false;
      payment.withdrawnCents = payment.cents;
    } else {
      const outcome = pick(this.#random, ['won', 'lost'] as const);
      await this.#standIn.resolveDispute(dispute.id, outcome);
      dispute.isOpen = false;
      if (outcome === 'won') payment.withdrawnCents = 0;
    }
  }

  /** A confirm, by its account or another one, or an old or current event. */
  async look(payment = pick(this.#random, this.modelled)): Promise<void> {
    this.looks++;
    const events = this.events().filter((event) => readIntent(event) === payment.id);
    const event = pick(this.#random, events);
    const how = this.#random(4);
    if (event && how > 1) {
      await this.deliver(event);
      return;
    }
    const confirming = how === 0 ? pick(this.#random, this.#accounts) : payment.account;
    const error = await this.#payments.confirm(confirming, payment.id).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const expected =
      confirming !== payment.account ? UnknownPaymentError : payment.paid ? undefined : UnpaidError;
    if (expected ? !(error instanceof expected) : error !== undefined)
      throw new Error(`confirm: expected ${expected?.name}`, { cause: error });
    if (confirming === payment.account) payment.seenCents = computeWorth(payment);
    await this.check(`a confirm of ${payment.id}`, [payment.account]);
  }

  async deliver(event: ReturnType<StripeStandIn['events']>[number]): Promise<void> {
    const payload = JSON.stringify(event);
    const signature = signatureHeader(payload, [WEBHOOK_SECRET], Math.floor(Date.now() / 1_000));
    await this.#payments.receiveEvent(Buffer.from(payload), signature);
    const payment = this.modelled.find(({ id }) => id === readIntent(event));
    if (payment) payment.seenCents = computeWorth(payment);
    await this.check(event.type, payment ? [payment.account] : []);
  }

  seeAll(): void {
    for (const payment of this.modelled) payment.seenCents = computeWorth(payment);
  }
}

function readIntent(event: { data: { object: object } }): string | undefined {
  const { id, object, payment_intent } = event.data.object as Record<string, string | undefined>;
  return object === 'payment_intent' ? id : payment_intent;
}

async function live(random: Random, parts: Parts, accounts: bigint[]): Promise<Outcome> {
  const life = new Life(random, parts, accounts);
  await life.pay();
  for (let steps = 2 + random(6); steps > 0; steps--) {
    const step = random(10);
    if (step < 2) await life.pay();
    else if (step < 4) await life.refund();
    else if (step < 5) await life.failRefund();
    else if (step < 7) await life.dispute();
    else await life.look();
  }
  if (random(4) > 0) {
    // Every event at least once, in any order; one in three is repeated.
    const events = life.events();
    const order = [...events, ...events.filter(() => random(3) === 0)];
    for (let last = order.length - 1; last > 0; last--) {
      const other = random(last + 1);
      [order[last], order[other]] = [order[other] as never, order[last] as never];
    }
    for (const event of order) {
      life.looks++;
      await life.deliver(event);
    }
  } else {
    // No event arrived.
    await parts.payments.reconcile(parts.since);
    life.seeAll();
    await life.check('the reconciler');
  }
  life.seeAll();
  await life.check('everything');
  const { differences } = await parts.payments.reconcile(parts.since);
  if (differences.length > 0)
    throw new Error(`left to reconcile: ${JSON.stringify(differences.map(String))}`);
  return {
    looks: life.looks,
    movedCents: life.modelled.reduce((sum, payment) => sum + Math.abs(computeWorth(payment)), 0),
  };
}

type Parts = { standIn: StripeStandIn; sdk: Stripe; payments: Payments; db: Database; since: Date };

async function openParts(): Promise<Parts & AsyncDisposable> {
  const since = new Date(Date.now() - 5_000);
  const standIn = await startStripe({ secretKey: SECRET_KEY, publishableKey: PUBLISHABLE_KEY });
  const database = await openTestDatabase();
  const processor = createCardProcessor({
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
    webhookSecrets: ['whsec_older', WEBHOOK_SECRET],
    apiUrl: standIn.url,
    deployment: 'permutations',
  });
  const { hostname: host, port } = new URL(standIn.url);
  return {
    standIn,
    sdk: new Stripe(SECRET_KEY, { host, port, protocol: 'http', telemetry: false }),
    payments: createPayments(database.db, processor, createLogger({ name: 'permutations', level: 'silent' })),
    db: database.db,
    since,
    async [Symbol.asyncDispose]() {
      await database.dispose();
      await standIn.close();
    },
  };
}

/** Throws at the first difference, with the seed that reproduces it. */
export async function checkPermutations(
  count: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): Promise<Outcome> {
  const total: Outcome = { looks: 0, movedCents: 0 };
  for (let batch = 0; batch * BATCH < count; batch++) {
    await using parts = await openParts();
    for (let i = batch * BATCH; i < Math.min(count, (batch + 1) * BATCH); i++) {
      const random = randomFrom(seed + i);
      const accounts = Array.from({ length: ACCOUNTS }, (_, index) => BigInt(i * ACCOUNTS + index + 1));
      const { looks, movedCents } = await live(random, parts, accounts).catch((cause: unknown) => {
        throw new Error(`permutation ${i}: reproduce it with --count 1 --seed ${seed + i}`, {
          cause,
        });
      });
      total.looks += looks;
      total.movedCents += movedCents;
      if ((i + 1) % 250 === 0) onProgress(i + 1);
    }
  }
  return total;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  });
  const [count, seed] = [Number(values.count), Number(values.seed)];
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
    console.error('node relayer/test/payment-permutations.ts [--count N] [--seed S]');
    process.exit(2);
  }
  const { looks, movedCents } = await checkPermutations(count, seed, (done) =>
    console.log(`permutations: ${done.toLocaleString('en-US')} of ${count.toLocaleString('en-US')}`),
  );
  console.log(
    `${count} permutations, ${looks} observations, ${movedCents} cents left: the ledger equals the model`,
  );
}
