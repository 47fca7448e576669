/** Stored cards, the automatic top-up and receipts, by key and by wallet. */
import { describe, expect, test } from 'vitest';
import type { ApiClient, ChainSecuredClient } from '../src/index.ts';
import { newApiClient, newChainSecuredClient, payByCard, stack } from './clients.ts';

const SETTINGS = { thresholdCents: 1, amountCents: 2_000, monthlyLimitCents: 5_000 };

describe.each<[string, () => Promise<ApiClient | ChainSecuredClient>]>([
  ['API mode', newApiClient],
  ['ChainSecured mode', () => newChainSecuredClient()],
])('%s', (_mode, open) => {
  test('a stored card turns the top-up on; without a card it stays off', async () => {
    const client = await open();
    await client.confirmPayment(await payByCard(client));
    expect(await client.getAutoTopUp()).toBeUndefined();
    await expect(client.setAutoTopUp(SETTINGS)).rejects.toMatchObject({ code: 'not_found' });
    await expect(client.getTopUpPayment()).rejects.toMatchObject({ code: 'not_found' });
    const { setupIntentId, clientSecret } = await client.createSetupIntent();
    await expect(client.setAutoTopUp({ ...SETTINGS, setupIntentId })).rejects.toMatchObject({
      code: 'conflict',
    });
    const { publishableKey } = await client.getProcessorConfig();
    const confirmed = await fetch(`${stack.stripeUrl}/v1/setup_intents/${setupIntentId}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${publishableKey}` },
      body: new URLSearchParams({ client_secret: clientSecret, payment_method: 'pm_card_visa' }),
    });
    expect(confirmed.status).toBe(200);
    const stored = {
      ...SETTINGS,
      chargedThisMonthCents: 0,
      card: { brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2040 },
      paused: undefined,
    };
    expect(await client.setAutoTopUp({ ...SETTINGS, setupIntentId })).toEqual(stored);
    expect(await client.setAutoTopUp({ ...SETTINGS, amountCents: 600 })).toEqual({
      ...stored,
      amountCents: 600,
    });
    await client.removeAutoTopUp();
    expect(await client.getAutoTopUp()).toBeUndefined();
  });

  test('a payment has a receipt', async () => {
    const client = await open();
    const payment = await payByCard(client);
    await client.confirmPayment(payment);
    expect(await client.getPaymentReceipt(payment)).toEqual({
      ...payment,
      account: expect.any(BigInt),
      amountCents: 500,
      paidAt: expect.any(Date),
      receiptUrl: expect.stringMatching(/^http/),
    });
    await expect(client.getPaymentReceipt({ paymentIntentId: 'pi_1' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
