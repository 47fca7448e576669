import { walletIdentity } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { addUsageKey, get, newAccount, newKeyText, read } from '@latchkey/testing/stack';
import { multisig } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { newBrowserWallet, openWalletAccount, signInWithWallet } from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

describe.runIf(hasChromium)('sign-in', () => {
  useChromium();

  test('with an account key', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    await expectAccessible(page);
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(key);
  });

  test('with a key that the browser keeps sealed, until it is deleted', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    await page.getByLabel('Keep it in this browser, sealed with a passphrase').check();
    await page.getByLabel(/^Passphrase/).fill('correct horse battery');
    await signIn(page, key);
    const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await stored()).toContain('latchkey.account-key');
    expect(await stored()).not.toContain(key);

    await page.reload();
    await page.getByLabel(/^Passphrase/).fill('wrong horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The passphrase is wrong.').waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Passphrase/).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Delete the sealed key from this browser' }).click();
    await page
      .getByLabel(/^Account key/)
      .last()
      .waitFor();
    expect(await stored()).not.toContain('latchkey.account-key');
  });

  test('refuses a usage key and an unknown key with what to do', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    const tried: [string, string][] = [
      [await addUsageKey(key), 'Sign in with the account key.'],
      [newKeyText(), 'No account has this key.'],
    ];
    for (const [text, answer] of tried) {
      await page
        .getByLabel(/^Account key/)
        .and(page.locator('input[type=password]'))
        .fill(text);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(answer).waitFor();
    }
  });

  test('opens a managed account, and shows its key once', async () => {
    await using dashboard = await openDashboard({ width: 375, height: 700, colorScheme: 'dark' });
    const { page, open } = dashboard;
    await open();
    await page.getByText('New account', { exact: true }).click();
    await page.getByLabel(/^Name of the account/).fill('Greetings');
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByText('Store the account key now').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Copy the account key' }).click();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    expect((await get('list_groups', key)).status).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('with a contract wallet (ERC-1271): it opens an account, writes, reads its credit and logs in to triggers', async () => {
    await using dashboard = await openDashboard({ path: '/wallets' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page, await multisig());
    await open();
    await signInWithWallet(page);
    await openWalletAccount(page);
    const [, admin] = await read('resolve', [walletIdentity(wallet.address)]);
    expect(admin).toBe(wallet.address);

    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('row', { name: /^Treasury/ }).waitFor();

    await page.getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('button', { name: 'Sign with the wallet' }).click();
    await page.getByText('$0.00').first().waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('button', { name: 'Log in with the wallet' }).click();
    await page.getByText('No triggers yet').waitFor();
    expect(wallet.asked).toEqual([
      'eth_sendTransaction',
      // The relayer mints a wallet for a signature of the admin.
      'eth_signTypedData_v4',
      'eth_sendTransaction',
      'eth_signTypedData_v4',
      'personal_sign',
    ]);
  });
});
