/** In-flight runs while the relayer stops. The tests mostly wait, each for a relayer of its own. */
import { addUsageKey, call, newAccount, payAndConfirm } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

vi.setConfig({ testTimeout: 600_000 });

const account = await newAccount();
const key = await addUsageKey(account.key, { execute_in_groups: [0] });

/** Starts a relayer with credit for the account; `sleep` runs an action of that many milliseconds. */
async function startRelayer(settings: Record<string, string>) {
  const relayer = await ownRelayer(settings);
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
  const sleep = (ms: number, idempotencyKey: string) =>
    call(
      'POST',
      'svc_action',
      {
        key,
        headers: { 'Idempotency-Key': idempotencyKey },
        body: { code: `const main = () => new Promise((done) => setTimeout(() => done('slept'), ${ms}))` },
      },
      relayer.url,
    );
  const entries = async () => {
    const { body } = await call('GET', 'billing/ledger?page_size=100', { key: account.key }, relayer.url);
    return (body as { kind: string }[]).map(({ kind }) => kind);
  };
  /** Resolves when a run is in flight. */
  const begun = () => until('a run has begun', async () => (await entries()).includes('reserve'));
  return { relayer, sleep, entries, begun };
}

test.concurrent('an in-flight run ends and is charged when the relayer stops', async () => {
  const { relayer, sleep, entries, begun } = await startRelayer({});
  await using _ = relayer;
  const reply = sleep(2_000, 'ends');
  await begun();
  await relayer.stop();
  expect(await reply).toMatchObject({ status: 200, body: { response: 'slept', has_error: false } });
  await relayer.restart();
  expect(await entries()).toContain('capture');
});

test.concurrent('a run that outlasts DRAIN_TIMEOUT_SEC is 503, costs nothing, and runs again with the same Idempotency-Key', async () => {
  const { relayer, sleep, entries, begun } = await startRelayer({ DRAIN_TIMEOUT_SEC: '1' });
  await using _ = relayer;
  const reply = sleep(4_000, 'outlasts');
  await begun();
  await relayer.stop();
  expect(await reply).toMatchObject({ status: 503 });
  await relayer.restart();
  expect(await entries()).not.toContain('capture');
  expect(await sleep(4_000, 'outlasts')).toMatchObject({ status: 200, body: { response: 'slept' } });
});
