/**
 * Automatic top-ups: charges the stored card of an owner when the credit of the account is low. A charge is stored before it is sent, so that
 * every process that continues it sends the same one. Its payment is credited like any other.
 */
import { hashStateOf, walletIdentity } from '@latchkey/protocol';
import type { Logger } from 'pino';
import type { AccountConfig } from '../chain/account-config.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';
import type { Payments } from './card-payments.ts';
import { MICROS_PER_CENT } from './money.ts';
import type { Owner } from './payments.ts';
import { type StoredCards, UnknownCardError } from './stored-cards.ts';
import * as topUps from './top-ups.ts';

/** A charge that Stripe does not have after this time is not sent any more. Shorter than Stripe keeps idempotency keys. */
const SENT_MS = 3_600_000;

type TopUpSettings = { thresholdCents: number; amountCents: number; monthlyLimitCents: number };
export type TopUpState = NonNullable<Awaited<ReturnType<typeof topUps.readTopUp>>>;

export type AutoTopUp = {
  createSetup: StoredCards['createSetup'];
  /** Turns the top-up on, or ends its pause. Keeps the stored card without a setup intent. Rejects with the errors of `findCard` and `saveTopUp`. */
  set: (owner: Owner, settings: TopUpSettings, setupIntent: string | undefined) => Promise<TopUpState>;
  /** Returns the settings of this owner, not those of another one. */
  read: (owner: Owner) => Promise<TopUpState | undefined>;
  /** Turns the top-up off and removes its card. */
  remove: (account: bigint) => Promise<void>;
  /** Returns the payment that this owner must authenticate. */
  readPayment: (
    owner: Owner,
  ) => Promise<{ intent: string; clientSecret: string; paymentMethod: string } | undefined>;
  /** Continues charges, tops up, and ends settings of former owners. Several relayers share the work. */
  run: (signal: AbortSignal) => Promise<void>;
};

/** Resolves to whether the key or wallet owns the account now: false also while a transfer waits for its acceptance. */
export type IsOwner = (owner: Owner) => Promise<boolean>;

export function createOwnerCheck(
  accountConfig: Pick<AccountConfig, 'read'>,
  accountHeads: Pick<AccountHeads, 'get'>,
): IsOwner {
  return async ({ account, owner }) => {
    const minBlock = await accountHeads.get(account);
    const found = await accountConfig.read('accountState', [owner], minBlock);
    if (hashStateOf(found.state) !== 'account' || found.masterApiKeyHash !== account) return false;
    // The identity of a former admin wallet still names the account.
    return found.accepted && (found.managed || walletIdentity(found.adminWalletAddress) === owner);
  };
}

export type AutoTopUpOptions = {
  db: Database;
  cards: StoredCards;
  /** Credits payments. */
  payments: Pick<Payments, 'credit'>;
  isOwner: IsOwner;
  log: Logger;
};

export function createAutoTopUp(options: AutoTopUpOptions): AutoTopUp {
  const { db, cards } = options;
  const read: AutoTopUp['read'] = async ({ account, owner }) => {
    const found = await topUps.readTopUp(db, account);
    return found?.owner === hashText(owner) ? found : undefined;
  };
  return {
    createSetup: cards.createSetup,
    read,
    async set(owner, { thresholdCents, ...limits }, setupIntent) {
      const card = setupIntent === undefined ? await read(owner) : await cards.findCard(owner, setupIntent);
      if (!card) throw new UnknownCardError('this owner has stored no card');
      const { customer, paymentMethod, brand, last4, expiryMonth, expiryYear } = card;
      const settings = {
        account: hashText(owner.account),
        owner: hashText(owner.owner),
        ...{ customer, paymentMethod, brand, last4, expiryMonth, expiryYear },
        thresholdMicros: BigInt(thresholdCents) * MICROS_PER_CENT,
        ...limits,
      };
      const isSaved = await topUps.saveTopUp(db, settings, setupIntent !== undefined);
      const stored = isSaved ? await read(owner) : undefined;
      if (!stored) throw new UnknownCardError('the card was removed meanwhile');
      return stored;
    },
    async remove(account) {
      await topUps.endTopUp(db, hashText(account));
    },
    async readPayment(owner) {
      const { waiting } = (await read(owner)) ?? {};
      if (!waiting || waiting.intent === null) return undefined;
      const { intent, paymentMethod } = waiting;
      return { intent, paymentMethod, clientSecret: await cards.clientSecret(intent) };
    },
    run: createRun(options),
  };
}

const ownerOf = ({ account, owner }: { account: string; owner: string }): Owner => ({
  account: BigInt(account),
  owner: BigInt(owner),
});

/** Returns the functions that take a stored charge to its end. */
function createCharging({ db, cards, payments, isOwner, log }: AutoTopUpOptions) {
  const isOwned = (of: { account: string; owner: string }) => isOwner(ownerOf(of));
  const end = ({ account, owner }: { account: string; owner: string }) => topUps.endTopUp(db, account, owner);

  /** Credits a payment. Returns it to an owner who gave the account away meanwhile. */
  const credit = async (charge: topUps.TopUpCharge, intent: string): Promise<void> => {
    const isStillOwned = await isOwned(charge);
    if (!isStillOwned) await cards.refund(intent, charge.id);
    await payments.credit(intent);
    await topUps.endCharge(db, charge, 'paid');
    if (!isStillOwned) await end(charge);
  };

  const record = async (charge: topUps.TopUpCharge, charged: topUps.Charged): Promise<void> => {
    const { intent, outcome, declineCode } = charged;
    const fields = { account: charge.account, cents: charge.amountCents, intent, outcome, declineCode };
    log.info(fields, 'automatic top-up');
    if (outcome === 'processing') return;
    if (outcome !== 'paid') return topUps.failCharge(db, charge, { intent, outcome, declineCode });
    if (intent !== undefined) await credit(charge, intent);
  };

  const send = async (charge: topUps.TopUpCharge): Promise<void> => {
    const isOld = charge.createdAt.getTime() < Date.now() - SENT_MS;
    const isCurrent = !isOld && (await topUps.isWanted(db, charge));
    // The last question before the request, so that the answer is new.
    const isStillOwned = isCurrent && (await isOwned(charge));
    if (!isStillOwned) {
      await topUps.endCharge(db, charge, 'failed');
      if (isCurrent) await end(charge);
      return;
    }
    await record(charge, await cards.charge({ ...charge, ...ownerOf(charge) }));
  };

  /** Continues a charge that no process continues. Looks first: the request can have reached Stripe before its owner changed. */
  const resume = async (charge: topUps.TopUpCharge): Promise<void> => {
    if (charge.status === 'closing' && charge.intent !== null) {
      await cards.cancel(charge.intent);
      // It can have been paid before.
      await payments.credit(charge.intent);
      return topUps.endCharge(db, charge, 'failed');
    }
    const charged = await cards.findCharge({ ...charge, ...ownerOf(charge) });
    return charged ? record(charge, charged) : send(charge);
  };

  return { send, resume, isOwned, end };
}

function createRun(options: AutoTopUpOptions): AutoTopUp['run'] {
  const { db, cards, log } = options;
  const { send, resume, isOwned, end } = createCharging(options);

  const topUp = async (settings: topUps.TopUp): Promise<void> => {
    const charge = await topUps.beginCharge(db, settings);
    if (charge) await send(charge);
  };

  const detach = async (paymentMethod: string): Promise<void> => {
    await cards.detach(paymentMethod);
    await topUps.forgetDetached(db, paymentMethod);
  };

  const each = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) => {
    const onError = (err: unknown) => log.warn({ err }, 'failed to continue an automatic top-up');
    await Promise.all(items.map((item) => work(item).catch(onError)));
  };

  return async (signal) => {
    await each(await topUps.claimDetachments(db), detach);
    await each(await topUps.claimChecks(db), async (found) => (await isOwned(found)) || end(found));
    if (signal.aborted) return;
    await each(await topUps.claimCharges(db), resume);
    await each(await topUps.claimDueTopUps(db), topUp);
  };
}
