/** The memory of the trigger service per account, trigger, token or value, each with stand-ins for what it asks. */

import { createConcurrencyLimit } from '@latchkey/http';
import type { Passings } from '@latchkey/testing/heap';
import { limitUnknownTokens } from '../src/auth/unknown-tokens.ts';
import { bitsOf } from '../src/sources/chain-bloom.ts';
import { findIgnored } from '../src/sources/filter.ts';
import { noteIgnored } from '../src/sources/ignored-events.ts';
import { createWebhookTriggers } from '../src/sources/webhook-triggers.ts';

export function openPassings(): Passings {
  const updatedAt = new Date();
  /** Every trigger exists. */
  const readAll = {
    select: () => ({ from: () => ({ where: async () => ids.map((id) => ({ id, updatedAt })) }) }),
  };
  let ids: string[] = [];
  const webhooks = createWebhookTriggers(readAll as never);
  const findToken = limitUnknownTokens(1);
  const limit = createConcurrencyLimit({ max: 1, message: '' });
  const db = { update: () => ({ set: () => ({ where: async () => {} }) }) } as never;
  return {
    'webhook triggers': {
      accounts: 3_000,
      pass: async (n) => {
        ids = [`trigger ${n}`];
        await webhooks.read(`trigger ${n}`);
      },
    },
    'tokens that are found': {
      accounts: 12_000,
      pass: (n) => findToken(`token ${n}`, 'user', `address ${n % 1_000}`, async () => n).catch(() => {}),
    },
    'accounts with concurrent uses': {
      accounts: 20_000,
      pass: async (n) => {
        using _use = limit.enter(`account ${n}`, 'agent');
        await Promise.resolve();
      },
    },
    'bits of values': { accounts: 55_000, pass: (n) => bitsOf(`0x${n.toString(16).padStart(8, '0')}`) },
    'expressions of filters': {
      accounts: 1_200,
      pass: (n) => findIgnored({ kind: 'webhook', config: { if: `event.n == ${n}` } }, { event: { n } }),
    },
    'errors of filters': {
      accounts: 12_000,
      pass: (n) =>
        noteIgnored({ db, worker: {} }, { id: `trigger ${n}`, kind: 'webhook', updatedAt }, { error: 'x' }),
    },
  };
}
