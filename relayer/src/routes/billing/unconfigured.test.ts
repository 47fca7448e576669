/** A relayer without a card processor: routes that need one return 404, all others work. */

import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { call, expectError, newAccount } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

const relayer = disposeAfterAll(
  await ownRelayer({
    STRIPE_SECRET_KEY: '',
    STRIPE_PUBLISHABLE_KEY: '',
    STRIPE_WEBHOOK_SECRETS: '',
  }),
);
const account = await newAccount();

test.each([
  ['GET', 'billing/processor_config', undefined],
  ['POST', 'billing/create_payment_intent', { amount_cents: 500 }],
  ['POST', 'billing/confirm_payment', { payment_intent_id: 'pi_1' }],
  ['POST', 'billing/webhook', {}],
  ['GET', 'billing/receipt?payment_intent_id=pi_1', undefined],
  ['GET', 'billing/auto_top_up', undefined],
  ['GET', 'billing/top_up_payment', undefined],
  ['POST', 'billing/create_setup_intent', {}],
  ['POST', 'billing/set_auto_top_up', { threshold_cents: 500, amount_cents: 500, monthly_limit_cents: 500 }],
  ['POST', 'billing/remove_auto_top_up', {}],
] as const)('404: %s %s', async (method, path, body) => {
  const headers = { 'stripe-signature': 't=1,v1=a' };
  const reply = await call(method, path, { key: account.key, body, headers }, relayer.url);
  expectError(reply, 404, /accepts no payments: no card processor is configured/);
  expect(reply.body).toMatchObject({ fix: expect.stringContaining('STRIPE_SECRET_KEY') });
});

test('returns 200 for balance and ledger', async () => {
  const { key } = account;
  expect(await call('GET', 'billing/balance', { key }, relayer.url)).toMatchObject({
    status: 200,
    body: { balance_cents: 0, balance_display: 'No credits', credit_micros: 0 },
  });
  const ledger = await call('GET', 'billing/ledger', { key }, relayer.url);
  expect(ledger).toMatchObject({ status: 200, body: [] });
  expect(ledger.headers.get('x-total-count')).toBe('0');
});
