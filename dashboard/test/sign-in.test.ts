import { newAccount, testClient } from '@latchkey/testing/stack';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import {
  expectAccessible,
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
