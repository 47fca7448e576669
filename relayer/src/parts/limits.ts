/** Limits of requests that no price limits. */
import { createAddressLimit, createPacedLimit, createRateLimit, type RateLimit } from '@latchkey/http';
import type { Config } from '../config.ts';

/** An export reads all lists. */
const EXPORTS_PER_MINUTE = 30;
/** A test sends a request to an address that the account chose. */
const WEBHOOK_TESTS_PER_MINUTE = 10;
/** Each is an event that is kept for RUN_RECORD_DAYS. Enough to set all secrets of an account three times. */
const SECRET_CHANGES_PER_HOUR = 300;
/** Few, because the payer bears the gas. */
const UNEXPLAINED_REVERTS_PER_HOUR = 3;

export type Limits = {
  /** Test events of webhooks per account. */
  webhookTestLimit: RateLimit;
  /** Exports per account. */
  exportLimit: RateLimit;
  /** Changes of secrets per account. */
  secretLimit: RateLimit;
  /** Payment requests per account. */
  paymentLimit: RateLimit;
  /** Signed mints per client address and per wallet. */
  signedMintLimit: RateLimit;
  /** Requests with unknown keys and wallets per client network. */
  unknownKeyLimit: RateLimit;
  /** Decisions about approvals per client network. */
  decisionLimit: RateLimit;
  /** Signed writes per account that revert on the chain after their simulation succeeded. */
  unexplainedRevertLimit: RateLimit;
};

export function createLimits(config: Config): Limits {
  return {
    webhookTestLimit: createRateLimit({
      name: 'webhook-tests',
      points: WEBHOOK_TESTS_PER_MINUTE,
      message: 'Too many test events of this account.',
    }),
    exportLimit: createRateLimit({
      name: 'exports',
      points: EXPORTS_PER_MINUTE,
      message: 'Too many exports of this account.',
    }),
    secretLimit: createRateLimit({
      name: 'secret-changes',
      points: SECRET_CHANGES_PER_HOUR,
      periodSec: 3_600,
      message: 'Too many changes of secrets of this account.',
    }),
    paymentLimit: createRateLimit({
      name: 'payments',
      points: config.billing.paymentRequestsPerMinute,
      message: 'Too many payment requests for this account.',
    }),
    signedMintLimit: createAddressLimit({
      name: 'signed-mints',
      points: config.signedMintsPerMinute,
      message: 'Too many requests from this address or for this wallet.',
    }),
    unknownKeyLimit: createPacedLimit({
      name: 'unknown-keys',
      points: config.unknownKeysPerMinute,
      leastPerSecond: 10,
      message: 'Too many requests with unknown keys from this address.',
    }),
    decisionLimit: createAddressLimit({
      name: 'approval-decisions',
      points: config.approvalDecisionsPerMinute,
      message: 'Too many decisions about approvals from this address.',
    }),
    unexplainedRevertLimit: createRateLimit({
      name: 'reverted-writes',
      points: UNEXPLAINED_REVERTS_PER_HOUR,
      periodSec: 3_600,
      message:
        'Too many signed writes of this account are in flight, or reverted on the chain although their simulations succeeded.',
    }),
  };
}
