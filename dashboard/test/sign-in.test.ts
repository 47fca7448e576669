import { addUsageKey, get, newAccount, newKeyText, testClient } from '@latchkey/testing/stack';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectFits,
  hasChromium,
  installWallet,
  openDashboard,
  signIn,
  useChromium,
} from './browser.ts';

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

  test('with a wallet', async () => {
    const key = generatePrivateKey();
    await testClient.setBalance({ address: privateKeyToAddress(key), value: parseEther('10') });
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await installWallet(page, key);
    await open();
    await page.getByText('Wallet', { exact: true }).click();
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
