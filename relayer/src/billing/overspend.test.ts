/** A thousand concurrent requests on credit for a hundred. */

import { expect, test } from 'vitest';
import { openAccount, settled, startCrashHarness } from '../../test/crash-harness.ts';

test('1,000 concurrent runs and writes on 100 cents spend no more, and unused reserves are released', async () => {
  await using harness = await startCrashHarness({
    // The account pays one cent for its usage key.
    STARTER_CREDIT_CENTS: '101',
    MAX_QUEUED_RUNS: '1000',
    MAX_QUEUED_RUNS_PER_ACCOUNT: '1000',
    PAYER_MAX_PENDING: '1000',
    DATABASE_POOL_SIZE: '20',
  });
  const account = await openAccount(harness);
  const write = { group_name: 'g', group_description: '' };
  const run = { code: 'function main() { return 1 }' };
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      index % 2 === 0
        ? harness.call('POST', 'add_group', { body: write, headers: account.auth })
        : harness.call('POST', 'svc_action', { body: run, headers: { 'X-Api-Key': account.runner } }),
    ),
  );
  for (const { status } of replies) expect([200, 402, 503]).toContain(status);
  const wasBusy = replies.some(({ status }) => status === 503);

  const entries = await settled(harness, account);
  const captured = entries.filter(({ kind, number }) => kind === 'capture' && number > 3);
  const answered = (rest: number) =>
    replies.filter(({ status }, index) => status === 200 && index % 2 === rest).length;
  const writes = captured.filter(({ reason }) => reason === 'add_group').length;
  expect((await harness.sizes(account.hash)).groups).toBe(writes);
  expect(writes).toBeGreaterThanOrEqual(answered(0));
  const runs = new Set(captured.filter(({ reason }) => /^run /.test(reason)).map(({ reason }) => reason));
  expect(runs.size).toBe(answered(1));

  const { credit_micros } = await harness.insist('GET', 'billing/balance', { headers: account.auth });
  expect(Number(credit_micros)).toBe((100 - captured.length) * 10_000);
  expect(Number(credit_micros)).toBeGreaterThanOrEqual(0);
  // Every request that credit covers is served, unless the relayer was too busy for some.
  expect(writes + runs.size).toBeGreaterThan(wasBusy ? 0 : 40);
}, 600_000);
