import type { Deployment } from '@latchkey/protocol';
import type { Logger } from 'pino';
import { createPayments, type Payments } from '../billing/card-payments.ts';
import { createCardProcessor } from '../billing/card-processor.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Every } from './timers.ts';

const MINUTE_MS = 60_000;
/** Stripe retries the delivery of an event for three days. */
const RECONCILED_MS = 3 * 24 * 3_600_000;

/** Returns undefined, with a warning, when no card processor is configured. */
export function openPayments(
  { billing, secrets }: Config,
  { chainId, address }: Deployment,
  db: Database,
  log: Logger,
  every: Every,
): Payments | undefined {
  if (secrets.stripeSecretKey === undefined || billing.stripePublishableKey === undefined) {
    log.warn('no card processor is configured: the relayer accepts no payments');
    return undefined;
  }
  const processor = createCardProcessor({
    secretKey: secrets.stripeSecretKey,
    publishableKey: billing.stripePublishableKey,
    webhookSecrets: secrets.stripeWebhookSecrets,
    apiUrl: billing.stripeApiUrl,
    deployment: `${chainId}:${address}`,
  });
  const payments = createPayments(db, processor, log);
  const reconcile = (signal: AbortSignal) => payments.reconcile(new Date(Date.now() - RECONCILED_MS), signal);
  every(billing.reconcileIntervalMin * MINUTE_MS, 'reconcile payments', reconcile, true);
  return payments;
}
