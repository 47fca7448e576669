import type { Deployment } from '@latchkey/protocol';
import type { Logger } from 'pino';
import { type AutoTopUp, createAutoTopUp, createOwnerCheck } from '../billing/auto-top-up.ts';
import { createPayments, type Payments } from '../billing/card-payments.ts';
import { createCardProcessor } from '../billing/card-processor.ts';
import { createStoredCards } from '../billing/stored-cards.ts';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import type { Every } from './timers.ts';

type Parts = {
  db: Database;
  views: Pick<AccountConfig, 'read'>;
  accountHeads: Pick<AccountHeads, 'get'>;
  log: Logger;
  every: Every;
};

export type CardPayments = Payments & { autoTopUp: AutoTopUp };

/** Credit that falls below a threshold is noticed so late at most. */
const TOP_UP_MS = 2_000;
const MINUTE_MS = 60_000;
/** Stripe retries the delivery of an event for three days. */
const RECONCILED_MS = 3 * 24 * 3_600_000;

/** Returns undefined, with a warning, when no card processor is configured. */
export function openPayments(
  { billing, secrets }: Config,
  { chainId, address }: Deployment,
  { db, views, accountHeads, log, every }: Parts,
): CardPayments | undefined {
  if (secrets.stripeSecretKey === undefined || billing.stripePublishableKey === undefined) {
    log.warn('no card processor is configured: the relayer accepts no payments');
    return undefined;
  }
  const options = {
    secretKey: secrets.stripeSecretKey,
    publishableKey: billing.stripePublishableKey,
    webhookSecrets: secrets.stripeWebhookSecrets,
    apiUrl: billing.stripeApiUrl,
    deployment: `${chainId}:${address}`,
  };
  const payments = createPayments(db, createCardProcessor(options), log);
  const cards = createStoredCards(options);
  const isOwner = createOwnerCheck(views, accountHeads);
  const autoTopUp = createAutoTopUp({ db, cards, payments, isOwner, log });
  const reconcile = (signal: AbortSignal) => payments.reconcile(new Date(Date.now() - RECONCILED_MS), signal);
  every(billing.reconcileIntervalMin * MINUTE_MS, 'reconcile payments', reconcile, true);
  every(TOP_UP_MS, 'top up accounts', autoTopUp.run);
  return { ...payments, autoTopUp };
}
