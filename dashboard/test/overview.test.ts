import { walletIdentity } from '@latchkey/protocol';
import type { RunRecord } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { read } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { spendByKey } from '../src/pages/overview/by-key.tsx';
import { countErrors } from '../src/pages/overview/errors.tsx';
import { percentile } from '../src/pages/overview/history.ts';
import {
  addRunner,
  modes,
  newAccountIn,
  newBrowserWallet,
  newManagedAccount,
  openSignedIn,
  openWalletAccount,
  runCode,
  signInWithWallet,
} from './accounts.ts';
import { expectAccessible, expectFits, isLoaded, openDashboard, signIn, useChromium } from './browser.ts';
import { pretendRuns } from './many-runs.ts';

const run = (fields: Partial<RunRecord>) => ({ status: 'success', ...fields }) as RunRecord;

test('a percentile is the smallest duration that a share of the runs does not exceed', () => {
  const runs = [{}, ...Array.from({ length: 20 }, (_, i) => run({ durationMs: 20 - i }))];
  expect([0.5, 0.95, 1].map((share) => percentile(runs, share))).toEqual([10, 19, 20]);
  expect(percentile([run({ durationMs: 7 })], 0.5)).toBe(7);
  expect(percentile([{}], 0.95)).toBeUndefined();
});

test('spending is added up by usage key, the highest first', () => {
  const runs = [
    run({ usageKeyHash: 1n, chargedMicros: 5n }),
    run({ usageKeyHash: 2n, chargedMicros: 9n, status: 'failed' }),
    run({ usageKeyHash: 1n, chargedMicros: 3n }),
    run({ usageKeyHash: 1n, status: 'running' }),
  ];
  const found = spendByKey(runs).map(({ hash, runs, failed, micros }) => [hash, runs.length, failed, micros]);
  expect(found).toEqual([
    [2n, 1, 1, 9n],
    [1n, 3, 0, 8n],
  ]);
});

test('errors are counted by name and action, the most frequent first', () => {
  const failed = (id: string, errorName: string, cid?: string) =>
    run({ id, errorName, cid, status: 'failed' });
  const runs = [
    failed('1', 'Error', 'a'),
    run({ cid: 'a' }),
    failed('2', 'RangeError', 'b'),
    failed('3', 'RangeError', 'a'),
    failed('4', 'RangeError', 'b'),
    failed('5', 'RangeError'),
  ];
  const found = countErrors(runs).map(({ name, count, newest }) => [name, newest.cid, count, newest.id]);
  expect(found).toEqual([
    ['RangeError', 'b', 2, '2'],
    ['Error', 'a', 1, '1'],
    ['RangeError', 'a', 1, '3'],
    ['RangeError', undefined, 1, '5'],
  ]);
});

describe.runIf(hasChromium)('overview', () => {
  useChromium();

  test.each(modes)('shows first steps, then runs, spending and errors: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { width: 375 });
    const { page, sign } = dashboard;
    const steps = page.getByRole('list', { name: 'First steps' });
    await steps.getByText('Create a group (done)').waitFor();
    await steps.getByText('Register an action (to do)').waitFor();
    // Runs and credit are read only after a signature that was explained.
    if (account.mode === 'chainSecured') expect(account.wallet.asked).toEqual([]);
    await sign();
    await page.getByText('No run failed in this period.').waitFor();
    await expectAccessible(page);
    await expectFits(page);

    await runCode(usageKey, 'function main() { return 1 }');
    const failed = await runCode(usageKey, 'function main() { throw new RangeError("too far") }');
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByText('7 days', { exact: true }).click();
    await page.getByRole('figure', { name: /1 run succeeded and 1 run failed in the last 7 days/ }).waitFor();
    await page.getByRole('figure', { name: /\$0\.0\d spent/ }).waitFor();
    await page.getByText('Succeeded', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByText('Table', { exact: true }).click();
    const today = page.getByRole('table', { name: 'Activity' }).getByRole('row').nth(1);
    expect(await today.getByRole('cell').allTextContents()).toEqual([
      '1',
      '1',
      expect.stringMatching(/^\$0\.0\d$/),
      expect.stringMatching(/^\d.* m?s$/),
      expect.stringMatching(/^\d.* m?s$/),
    ]);
    const byKey = page.getByRole('table', { name: 'Spending by usage key' });
    await byKey.getByRole('row', { name: /^Server .* 2 1 / }).waitFor();
    await byKey.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('figure', { name: /1 run succeeded and 1 run failed in the last 7 days/ }).waitFor();
    await page.getByRole('link', { name: 'Compare with the other keys' }).click();
    await byKey.waitFor();
    const errors = page.getByRole('table', { name: 'Errors' });
    await errors
      .getByRole('row', { name: /RangeError 1/ })
      .getByRole('link')
      .nth(1)
      .click();
    await page.getByRole('table', { name: 'Record' }).getByText(failed.slice(0, 8)).waitFor();

    const pretended = await pretendRuns(page, 5_500);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('30 days', { exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Not the whole period' });
    await notice.getByText('reads the newest 5,000 runs').waitFor();
    const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
    await notice.getByText(`before ${pretended.timeOf(4_999).toLocaleString('en', format)}`).waitFor();
    await page.getByText('5,000', { exact: true }).first().waitFor();
    if (account.mode === 'chainSecured') expect(account.wallet.asked).toEqual(['eth_signTypedData_v4']);
  });

  test('says which key nodes wait for their operators, and until when', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openDashboard({ width: 375 });
    const { page, open } = dashboard;
    await open();
    await signIn(page, account.key);
    await page.getByRole('list', { name: 'First steps' }).waitFor();
    await isLoaded(page);
    const alert = page.getByRole('alert').filter({ hasText: 'Key nodes wait for their operators' });
    expect(await alert.count()).toBe(0);

    const nowSec = Math.round(Date.now() / 1_000);
    const waits = { node: 2, since: nowSec - 3_700, until: nowSec + 82_900 };
    await page.route(/\/health$/, async (route) => {
      const response = await route.fetch();
      const json = { ...(await response.json()), ok: false, key_approvals: [waits] };
      await route.fulfill({ response, status: 503, json });
    });
    await page.reload();
    await signIn(page, account.key);
    await alert.getByText('Key node 2 waits since 1 hour ago, and deals in the group in 23 hours.').waitFor();
    await alert.getByText('npm run keys -- refuse').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('a wallet opens its account before it sees a page', async () => {
    await using dashboard = await openDashboard({ path: '/groups' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    await open();
    await signInWithWallet(page);
    await page.getByRole('heading', { name: 'Open an account for this wallet' }).waitFor();
    await expectAccessible(page);
    wallet.refuses = true;
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByText('rejected in the wallet').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).last().click();
    wallet.refuses = false;
    await openWalletAccount(page);
    await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor();
    const [, admin] = await read('resolve', [walletIdentity(wallet.address)]);
    expect(admin).toBe(wallet.address);
  });
});
