import { hasChromium } from '@latchkey/testing/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newChainSecuredAccount, newManagedAccount, openSignedIn } from './accounts.ts';
import { emitWalletEvent, expectAccessible, openDashboard, signIn, useChromium } from './browser.ts';

const asks = (page: Page) => page.getByRole('dialog', { name: 'Leave the page?' });

/** Goes back, and stays when asked. */
async function expectAsked(page: Page): Promise<void> {
  await page.goBack();
  await asks(page).getByRole('button', { name: 'Stay' }).click();
  await asks(page).waitFor({ state: 'detached' });
}

describe.runIf(hasChromium)('what would be lost', () => {
  useChromium();

  test('a form outlives Back and a link', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/triggers' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'New trigger' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly');
    await expectAsked(page);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Nightly');
    await page.getByRole('link', { name: 'Wallets' }).click();
    await asks(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'No wallets yet' }).waitFor();
  });

  test('the code of the editor is kept as a draft of the account, until it is discarded', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/actions' });
    const { page, open, reopen } = dashboard;
    const openEditor = async () => {
      await page.getByRole('link', { name: 'New action' }).first().click();
      await page.getByRole('textbox', { name: 'Code of the action' }).waitFor();
    };
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    await openEditor();
    // The unchanged example makes none.
    await page.goBack();
    await openEditor();
    expect(await page.getByText('This is your draft').count()).toBe(0);
    await editor.fill('const own = 1;');
    await page.goBack();
    await openEditor();
    expect(await editor.textContent()).toBe('const own = 1;');
    await page.getByText('This is your draft').waitFor();
    await expectAccessible(page);
    // A reload, and a sign-out, lose nothing.
    await editor.fill('const own = 2;');
    await reopen();
    await openEditor();
    expect(await editor.textContent()).toBe('const own = 2;');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // Another account in this browser does not see it.
    const { key } = await newManagedAccount();
    await open();
    await signIn(page, key);
    await openEditor();
    expect(await editor.textContent()).toContain('greeting');
    await reopen();
    await openEditor();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await editor.getByText('greeting').waitFor();
    await page.goBack();
    await openEditor();
    expect(await editor.textContent()).toContain('greeting');
    expect(await page.evaluate(() => Object.keys(localStorage).join())).not.toContain('latchkey.draft');
  });

  test('a sign-out asks first when the browser cannot keep a draft', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/actions/new' });
    const { page } = dashboard;
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    await editor.fill('const own = 1;');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asks(page).getByText('The code is lost').waitFor();
    await expectAccessible(page);
    await asks(page).getByRole('button', { name: 'Stay' }).click();
    await asks(page).waitFor({ state: 'detached' });
    expect(await editor.textContent()).toBe('const own = 1;');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asks(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('a form outlives a wallet that uses another account, or is disconnected', async () => {
    const account = await newChainSecuredAccount();
    await using dashboard = await openSignedIn(account, { path: '/triggers/new' });
    const { page, sign } = dashboard;
    await sign('Log in with the wallet');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Nightly');
    await emitWalletEvent(page, 'accountsChanged', [`0x${'ab'.repeat(20)}`]);
    await page.getByRole('button', { name: 'Continue with the other account' }).click();
    await asks(page).getByRole('button', { name: 'Stay' }).click();
    await asks(page).waitFor({ state: 'detached' });
    await emitWalletEvent(page, 'accountsChanged', []);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await expectAccessible(page);
    await asks(page).getByRole('button', { name: 'Stay' }).click();
    await asks(page).waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Nightly');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await asks(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('a new usage key stays until it is stored', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/groups' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Usage keys', exact: true }).first().click();
    await page.getByRole('main').getByRole('button', { name: 'New usage key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Server');
    await expectAsked(page);
    await page.getByRole('button', { name: 'Create the usage key' }).click();
    const shown = page.getByRole('textbox', { name: 'Usage key' });
    const usageKey = await shown.inputValue();
    await page.goBack();
    await expectAccessible(page);
    await asks(page).getByRole('button', { name: 'Stay' }).click();
    expect(await shown.inputValue()).toBe(usageKey);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Server' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
  });

  test('a new account key stays until it is stored', async () => {
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    await page.getByText('New account', { exact: true }).click();
    await page.getByLabel(/^Name of the account/).fill('Greetings');
    await page.getByRole('button', { name: 'Open the account' }).click();
    const shown = page.getByRole('textbox', { name: 'Account key' });
    const key = await shown.inputValue();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate(() => location.reload());
    await expect.poll(() => dialogs).toEqual(['beforeunload']);
    expect(await shown.inputValue()).toBe(key);
  });
});
