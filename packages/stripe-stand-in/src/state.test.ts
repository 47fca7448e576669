import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PUBLISHABLE_KEY, SECRET_KEY, sdkFor, startReceiver, startWithSdk } from './testing.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stripe-'));
  file = join(dir, 'kept', 'stripe.json');
});
afterEach(() => rm(dir, { recursive: true }));

test('a restart continues with the whole state, keys included', async () => {
  const idempotencyKey = 'order-1';
  const params = { amount: 5_000, currency: 'usd', metadata: { order: '1' } };
  const before = await (async () => {
    await using stripe = await startWithSdk({ file });
    const created = await stripe.sdk.paymentIntents.create(params, { idempotencyKey });
    await stripe.sdk.customers.create();
    const { id } = await stripe.pay('pm_card_pendingRefund');
    const refund = await stripe.sdk.refunds.create({ payment_intent: id });
    return { created, refund };
  })();
  expect(await readdir(join(dir, 'kept'))).toEqual(['stripe.json']);
  await using stripe = await startWithSdk({ file });
  expect(await stripe.sdk.paymentIntents.create(params, { idempotencyKey })).toEqual(before.created);
  const paid = await stripe.sdk.paymentIntents.confirm(before.created.id, { payment_method: 'pm_card_visa' });
  expect(paid).toMatchObject({ status: 'succeeded', metadata: { order: '1' } });
  expect(await stripe.standIn.succeedRefund(before.refund.id)).toMatchObject({ status: 'succeeded' });
});

test('an answered request is in the file', async () => {
  await using stripe = await startWithSdk({ file });
  const intents = await Promise.all(Array.from({ length: 20 }, () => stripe.pay()));
  const kept = JSON.parse(await readFile(file, 'utf8'));
  expect(Object.keys(kept.paymentIntents).toSorted()).toEqual(intents.map(({ id }) => id).toSorted());
});

test('refuses a file with another content', async () => {
  file = join(dir, 'stripe.json');
  await writeFile(file, 'not a state');
  await expect(startWithSdk({ file })).rejects.toThrow(SyntaxError);
});

test('the process of the local stack reports when it is ready, delivers events, and ends on SIGTERM', async () => {
  await using receiver = await startReceiver();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...process.env,
      PORT: '0',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRETS: 'whsec_1,whsec_2',
      STATE_FILE: file,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(line).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
    const { id } = await sdkFor(Number(new URL(line.slice(6)).port), SECRET_KEY).paymentIntents.create({
      amount: 500,
      currency: 'usd',
    });
    await expect.poll(() => receiver.types()).toEqual(['payment_intent.created']);
    expect(receiver.received[0]?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).paymentIntents)).toEqual([id]);
  } finally {
    child.kill('SIGKILL');
  }
});
