/** A managed account with runs, and a wallet that opens its account in the browser. */
import { addGroup, addUsageKey, newAccount, post, testClient } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect } from 'vitest';
import { installWallet } from './browser.ts';

/** Opens a managed account whose usage key is permitted to run every action. */
export async function newAccountWithKey() {
  const account = await newAccount();
  const group = await addGroup(account.key, { cid_hashes_permitted: ['0'] });
  const usageKey = await addUsageKey(account.key, { name: 'Server', execute_in_groups: [Number(group)] });
  return { ...account, usageKey };
}

/** Runs code and returns the id of the run. */
export async function runCode(usageKey: string, code: string): Promise<string> {
  const reply = await post('svc_action', { code }, usageKey);
  expect(reply.status).toBe(200);
  return reply.headers.get('x-run-id') as string;
}

/** Installs a wallet with funds. */
export async function newBrowserWallet(page: Page) {
  const key = generatePrivateKey();
  await testClient.setBalance({ address: privateKeyToAddress(key), value: parseEther('10') });
  return installWallet(page, key);
}

/** Opens the account of the wallet that is signed in. */
export async function openWalletAccount(page: Page, name = 'Mine'): Promise<void> {
  await page.getByLabel('Name', { exact: false }).fill(name);
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.getByRole('button', { name: 'Continue in the wallet' }).click();
  await page.getByRole('heading', { name: 'Open an account for this wallet' }).waitFor({ state: 'detached' });
}
