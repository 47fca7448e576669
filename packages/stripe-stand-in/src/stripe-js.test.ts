import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

// The tests of the dashboard pay with it in a browser.
test('serves a stand-in for Stripe.js to every origin', async () => {
  const reply = await fetch(`${stripe.standIn.url}/v3/`, { headers: { Origin: 'http://seller.test' } });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toContain('text/javascript');
  expect(await reply.text()).toContain('window.Stripe');
});

test('lets a page of every origin call the API with the publishable key', async () => {
  const reply = await fetch(`${stripe.standIn.url}/v1/payment_intents/pi_1/confirm`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://seller.test',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  });
  expect(reply.status).toBe(204);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  expect(reply.headers.get('access-control-allow-headers')).toBe('authorization');
});
