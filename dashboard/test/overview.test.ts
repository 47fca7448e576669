import { walletIdentity } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { read } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
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
    ]);
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
