/** Flows that are walked a second time: after another one, after a rotation, as the second owner. */
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { get, read, stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  newBrowserWallet,
  newChainSecuredAccount,
  newManagedAccount,
  openSignedIn,
  openWalletAccount,
  signInWithWallet,
} from './accounts.ts';
import { openDashboard, useChromium } from './browser.ts';

async function replaceKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Replace the account key' }).click();
  const key = await page.getByLabel('New account key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const asks = page.getByRole('dialog', { name: 'Replace the account key' }).last();
  await asks.getByRole('button', { name: 'Replace the account key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor({ state: 'detached' });
  return key;
}

async function retire(page: Page): Promise<void> {
  await page.getByLabel('Type retire to confirm').fill('retire');
  await page.getByRole('button', { name: 'Retire the account' }).click();
}

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
};

describe.runIf(hasChromium)('a second time', () => {
  useChromium();

  test('retires an account whose key was replaced twice and that was converted then', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/settings' });
    const { page } = dashboard;
    const wallet = await newBrowserWallet(page);
    await page.reload();
    await page
      .getByLabel(/^Account key/)
      .and(page.locator('input[type=password]'))
      .fill(account.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await replaceKey(page);
    const key = await replaceKey(page);
    expect((await get('list_groups', key)).status).toBe(200);
    await page.getByRole('table', { name: 'Account' }).getByText('test', { exact: true }).waitFor();

    // The dialog is closed and opened again when its wallet is connected.
    for (const isLast of [false, true]) {
      await page.getByRole('button', { name: 'Convert the account' }).click();
      await page.getByRole('button', { name: 'Choose the wallet' }).click();
      await page.getByRole('button', { name: 'Test wallet' }).click();
      await page.getByRole('button', { name: 'Sign and convert' }).waitFor();
      if (!isLast) await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    }
    await page.getByRole('button', { name: 'Sign and convert' }).click();
    await page.getByRole('button', { name: 'Convert the account' }).last().click();
    await page.getByRole('table', { name: 'Account' }).getByText('ChainSecured').waitFor();
    await page.getByRole('table', { name: 'Account' }).getByText('test', { exact: true }).waitFor();

    await retire(page);
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    expect(await read('accountExistsAndIsMutable', [account.hash])).toBe(false);
  });

  test('retires a managed account whose key was replaced, without a node of the chain', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openDashboard({ path: '/settings' });
    const { page, open } = dashboard;
    const { url: relayerUrl, triggersUrl } = stack;
    await page.route('**/config.json', (route) => route.fulfill({ json: { relayerUrl, triggersUrl } }));
    await open();
    await page
      .getByLabel(/^Account key/)
      .and(page.locator('input[type=password]'))
      .fill(account.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const key = await replaceKey(page);
    await page.getByRole('table', { name: 'Account' }).getByText('Not known').waitFor();
    await retire(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Retire the account' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect((await get('list_groups', key)).status).toBe(401);
  });

  test('signs in with the same wallet again and again', async () => {
    await using dashboard = await openDashboard({ path: '/settings' });
    const { page, open } = dashboard;
    await newBrowserWallet(page);
    await open();
    await signInWithWallet(page);
    await openWalletAccount(page);
    for (const _time of [2, 3]) {
      await signOut(page);
      await signInWithWallet(page);
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
    }
  });

  test('the second owner of an account makes a wallet and a usage key', async () => {
    await using dashboard = await openDashboard({ path: '/wallets' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    const given = await newChainSecuredAccount();
    await given.client.transferOwnership({ newAdminWalletAddress: wallet.address });
    await open();
    await signInWithWallet(page);
    const consent = page.getByRole('button', { name: 'Continue in the wallet' });
    await page.getByRole('button', { name: 'Accept the account' }).click();
    await consent.click();
    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await consent.click();
    await page.getByRole('row', { name: /^Treasury/ }).waitFor();
    await page.getByRole('link', { name: 'Usage keys', exact: true }).click();
    await page.getByRole('main').getByRole('button', { name: 'New usage key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Server');
    await page.getByRole('button', { name: 'Create the usage key' }).click();
    await consent.click();
    const usageKey = await page.getByRole('textbox', { name: 'Usage key' }).inputValue();
    const [master] = await read('resolve', [apiKeyHash(usageKey)]);
    expect(master).toBe(walletIdentity(given.wallet.address));
  });
});
