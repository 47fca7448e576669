import { addGroup, get, newAccount } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { newChainSecuredAccount, signInWithWallet } from './accounts.ts';
import {
  expectAccessible,
  expectFits,
  hasChromium,
  installWallet,
  openDashboard,
  signIn,
  useChromium,
} from './browser.ts';

type Listed = { name: string; wallet_address: string; pkp_ids_permitted: string[] }[];
const list = async (path: string, key: string) =>
  (await get(`${path}?page_number=0&page_size=10`, key)).body as Listed;

describe.runIf(hasChromium)('wallets', () => {
  useChromium();

  test('are created, copied, added to a group and removed from it', async () => {
    const { key } = await newAccount();
    await addGroup(key);
    await using dashboard = await openDashboard({ width: 375, colorScheme: 'dark', path: '/wallets' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'No wallets yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    const row = page.getByRole('row', { name: /^Treasury/ });
    await row.waitFor();
    const [wallet] = await list('list_wallets', key);
    expect(wallet?.name).toBe('Treasury');
    await row.getByRole('button', { name: 'Copy the address' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wallet?.wallet_address);
    await expectAccessible(page);
    await expectFits(page);

    await page.getByRole('button', { name: 'Groups of Treasury' }).click();
    await page.getByRole('combobox', { name: 'Another group' }).click();
    await page.getByRole('option', { name: /^test/ }).click();
    await page.getByRole('button', { name: 'Add to the group' }).click();
    await page.getByRole('table', { name: 'Groups of the wallet' }).getByText('test').waitFor();
    await expectAccessible(page);
    expect(await list('list_groups', key)).toMatchObject([{ pkp_ids_permitted: [wallet?.wallet_address] }]);
    await page.getByRole('button', { name: 'Remove it from test' }).click();
    await page.getByRole('button', { name: 'Remove from the group', exact: true }).click();
    await page.getByText('No group has this wallet yet.').waitFor();
    expect(await list('list_groups', key)).toMatchObject([{ pkp_ids_permitted: [] }]);
  });

  test('of a wallet: the admin wallet signs the request and the transaction', async () => {
    const { privateKey, client } = await newChainSecuredAccount();
    await using dashboard = await openDashboard({ path: '/wallets' });
    const { page, open } = dashboard;
    const admin = await installWallet(page, privateKey);
    await open();
    await signInWithWallet(page);
    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('row', { name: /^Treasury/ }).waitFor();
    expect(admin.asked.slice(-2)).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    expect((await client.listWallets()).items).toMatchObject([{ name: 'Treasury' }]);
  });
});
