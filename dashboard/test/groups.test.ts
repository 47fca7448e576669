import { hasChromium } from '@latchkey/testing/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { fillAccount, modes, newAccountIn, newChainSecuredAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

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

  test.each(modes)('are created with members by name, edited, and removed: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { walletAddress } = await client.createWallet({ name: 'Treasury', description: '' });
    const groups = async () => (await client.listGroups()).items;
    await using dashboard = await openSignedIn(account, { colorScheme: 'dark', path: '/groups' });
    const { page, confirm } = dashboard;
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Name').fill('Payments');
    await dialog.getByRole('combobox', { name: 'Actions' }).click();
    await page.getByRole('option', { name: 'Every action' }).click();
    await dialog.getByRole('combobox', { name: 'Wallets' }).click();
    await page.getByRole('option', { name: /^Treasury/ }).click();
    // A click on the button while the list is open is one on the button, not on an option of the list.
    const button = dialog.getByRole('button', { name: 'Create the group' });
    await page.getByRole('option', { name: 'Every wallet' }).waitFor();
    const box = await button.boundingBox();
    if (!box) throw new Error('no button');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await confirm();
    await page.getByRole('table', { name: 'Groups' }).getByRole('link', { name: 'Payments' }).waitFor();
    expect(await groups()).toMatchObject([{ name: 'Payments', cidHashes: [0n], pkpIds: [walletAddress] }]);

    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('heading', { name: 'Payments' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove Treasury from the group' }).click();
    await confirm('Remove from the group');
    await page.getByText('This group has no wallet yet.').waitFor();
    expect(await groups()).toMatchObject([{ pkpIds: [] }]);
    const wallets = page.getByRole('region', { name: 'Wallets' });
    await wallets.getByRole('combobox', { name: 'Add wallets' }).click();
    await page.getByRole('option', { name: /^Treasury/ }).click();
    await page.keyboard.press('Escape');
    await wallets.getByRole('button', { name: 'Add wallets' }).click();
    await confirm();
    await page.getByRole('button', { name: 'Remove Treasury from the group' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Invoices');
    await page.getByRole('button', { name: 'Change the group' }).click();
    await confirm();
    await page.getByRole('heading', { name: 'Invoices' }).waitFor();
    expect(await groups()).toMatchObject([{ name: 'Invoices', pkpIds: [walletAddress] }]);
    await page.getByRole('button', { name: 'Remove the group' }).click();
    await confirm('Remove the group');
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    expect(await groups()).toEqual([]);
  });

  test('a wallet that answers after the timeout makes the change once: it is not sent again before', async () => {
    const account = await newChainSecuredAccount();
    const { client, wallet } = account;
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page, reopen, confirm } = dashboard;
    await page.addInitScript(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => {
        if (ms < 15 * 60_000) return timeout(ms);
        const ending = new AbortController();
        Object.assign(window, { endCall: () => ending.abort(new DOMException('', 'TimeoutError')) });
        return ending.signal;
      };
    });
    await reopen();
    const approval = Promise.withResolvers<void>();
    const { request } = wallet;
    wallet.request = async (asked) => {
      if (asked.method === 'eth_sendTransaction') await approval.promise;
      return request(asked);
    };
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    await page.getByRole('dialog', { name: 'New group' }).getByLabel('Name').fill('Payments');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await confirm();
    await page.getByText('Confirm it in your wallet.').waitFor();
    await page.evaluate(() => (window as unknown as { endCall: () => void }).endCall());
    await page.getByText('The wallet still asks. Approving there makes the change').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    approval.resolve();
    await expect.poll(async () => (await client.listGroups()).items).toMatchObject([{ name: 'Payments' }]);
    expect(wallet.asked).toEqual(['eth_sendTransaction']);
  });

  test.each(modes)(
    'the matrix shows who runs what, and the contract answers for one key: %s',
    async (mode) => {
      const account = await newAccountIn(mode);
      await fillAccount(account);
      await account.client.addUsageApiKey({ name: 'Wildcard', executeInGroups: [0n] });
      await account.client.addUsageApiKey({ name: 'Nothing' });
      await using dashboard = await openSignedIn(account, { width: 375, path: '/groups' });
      const { page } = dashboard;
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
      await askAbout(page, 'Nothing');
      await page.getByText('The action is in none of the groups in which the key may run actions.').waitFor();
    },
  );
});
