import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { modes, newAccountIn, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

describe.runIf(hasChromium)('wallets', () => {
  useChromium();

  test.each(modes)('are created, copied, added to a group and removed from it: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    await client.addGroup({ name: 'Payments', description: '' });
    const options = { width: 375, colorScheme: 'dark', path: '/wallets' } as const;
    await using dashboard = await openSignedIn(account, options);
    const { page, confirm } = dashboard;
    await page.getByRole('heading', { name: 'No wallets yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await confirm();
    const row = page.getByRole('row', { name: /^Treasury/ });
    await row.waitFor();
    // The relayer mints the wallet for the signature of its admin, who registers it.
    if (account.mode === 'chainSecured')
      expect(account.wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    const [wallet] = (await client.listWallets()).items;
    expect(wallet?.name).toBe('Treasury');
    await row.getByRole('button', { name: 'Copy the address' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wallet?.walletAddress);
    await expectAccessible(page);
    await expectFits(page);

    const members = async () => (await client.listGroups()).items[0]?.pkpIds;
    await page.getByRole('button', { name: 'Groups of Treasury' }).click();
    await page.getByRole('combobox', { name: 'Another group' }).click();
    await page.getByRole('option', { name: /^Payments/ }).click();
    await page.getByRole('button', { name: 'Add to the group' }).click();
    await confirm();
    await page.getByRole('table', { name: 'Groups of the wallet' }).getByText('Payments').waitFor();
    await expectAccessible(page);
    expect(await members()).toEqual([wallet?.walletAddress]);
    await page.getByRole('button', { name: 'Remove it from Payments' }).click();
    await confirm('Remove from the group');
    await page.getByText('No group has this wallet yet.').waitFor();
    expect(await members()).toEqual([]);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Key releases of Treasury' }).click();
    if (account.mode === 'chainSecured')
      await page.getByRole('button', { name: 'Sign with the wallet' }).click();
    const releases = page.getByRole('table', { name: 'Key releases' });
    await releases.getByText('Wallet made').waitFor();
    await releases.getByText('Address signed').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });
});
