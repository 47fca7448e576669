import { addUsageKey, createWallet, get, newAccount } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newChainSecuredAccount, newFilledAccount, signInWithWallet } from './accounts.ts';
import {
  expectAccessible,
  expectFits,
  hasChromium,
  installWallet,
  openDashboard,
  signIn,
  useChromium,
} from './browser.ts';

type Groups = { name: string; cid_hashes_permitted: string[]; pkp_ids_permitted: string[] }[];
const listGroups = async (key: string) =>
  (await get('list_groups?page_number=0&page_size=10', key)).body as Groups;

/** Asks whether a usage key may run the action “Sign”. */
async function askAbout(page: Page, usageKey: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Usage key' }).last().click();
  await page.getByRole('option', { name: usageKey }).click();
  await page.getByRole('combobox', { name: 'Action', exact: true }).click();
  await page.getByRole('option', { name: /^Sign/ }).click();
  await page.getByRole('button', { name: 'Ask the contract' }).click();
}

describe.runIf(hasChromium)('groups', () => {
  useChromium();

  test('are created with members by name, edited, and removed', async () => {
    const { key } = await newAccount();
    const wallet = await createWallet(key);
    await using dashboard = await openDashboard({ colorScheme: 'dark', path: '/groups' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Name').fill('Payments');
    await dialog.getByRole('combobox', { name: 'Actions' }).click();
    await page.getByRole('option', { name: 'Every action' }).click();
    await dialog.getByRole('combobox', { name: 'Wallets' }).click();
    await page.getByRole('option', { name: /^test/ }).click();
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create the group' }).click();
    await page.getByRole('table', { name: 'Groups' }).getByRole('link', { name: 'Payments' }).waitFor();
    expect(await listGroups(key)).toMatchObject([
      { name: 'Payments', cid_hashes_permitted: [`0x${'0'.repeat(64)}`], pkp_ids_permitted: [wallet] },
    ]);

    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('heading', { name: 'Payments' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove test from the group' }).click();
    await page.getByRole('button', { name: 'Remove from the group', exact: true }).click();
    await page.getByText('This group has no wallet yet.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Invoices');
    await page.getByRole('button', { name: 'Change the group' }).click();
    await page.getByRole('heading', { name: 'Invoices' }).waitFor();
    expect(await listGroups(key)).toMatchObject([{ name: 'Invoices', pkp_ids_permitted: [] }]);
    await page.getByRole('button', { name: 'Remove the group' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the group' }).click();
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    expect(await listGroups(key)).toEqual([]);
  });

  test('the matrix shows who runs what, and the contract answers for one key', async () => {
    const { key } = await newFilledAccount();
    await addUsageKey(key, { name: 'Wildcard', execute_in_groups: ['0'] });
    await addUsageKey(key, { name: 'Nothing' });
    await using dashboard = await openDashboard({ width: 375, path: '/groups' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    const row = page.getByRole('table', { name: 'Usage keys by action and wallet' }).getByRole('row', {
      name: /^Sign/,
    });
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['Server\nWildcard', 'Server\nWildcard']);
    await expectFits(page);
    await expectAccessible(page);

    await askAbout(page, 'Server');
    await page.getByText('This group of the key permits the action: Payments.').waitFor();
    const wallet = page.getByRole('combobox', { name: 'Wallet', exact: true });
    const ask = page.getByRole('button', { name: 'Ask the contract' });
    await wallet.click();
    await page.getByRole('option', { name: /^test/ }).first().click();
    await ask.click();
    await page.getByText('This group of the key permits the action and the wallet: Payments.').waitFor();
    await wallet.click();
    await page.getByRole('option', { name: /^test/ }).last().click();
    await ask.click();
    await page.getByText('It may run the action, but not use the wallet').waitFor();
    await page.getByText('Add the wallet to a group of the key that has the action.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('of a wallet: creates a group, and asks about a key by its name', async () => {
    const { privateKey, client } = await newChainSecuredAccount();
    await client.addAction({ actionIpfsCid: `Qm${'a'.repeat(44)}`, name: 'Sign', description: '' });
    await client.addUsageApiKey({ name: 'Server' });
    await using dashboard = await openDashboard({ path: '/groups' });
    const { page, open } = dashboard;
    await installWallet(page, privateKey);
    await open();
    await signInWithWallet(page);
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Payments');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('table', { name: 'Groups' }).getByText('Payments').waitFor();
    expect((await client.listGroups()).items).toMatchObject([{ name: 'Payments' }]);
    await askAbout(page, 'Server');
    await page.getByText('No group in which the key runs actions has this action.').waitFor();
  });
});
