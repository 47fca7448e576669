import { hasChromium } from '@latchkey/testing/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newManagedAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, openDashboard, useChromium } from './browser.ts';

const asks = (page: Page) => page.getByRole('dialog', { name: 'Leave the page?' });

/** Goes back, and stays when asked. */
async function expectAsked(page: Page): Promise<void> {
  await page.goBack();
  await asks(page).getByRole('button', { name: 'Stay' }).click();
  await asks(page).waitFor({ state: 'detached' });
}

describe.runIf(hasChromium)('what would be lost', () => {
  useChromium();

  test('the code of the editor, and a form, outlive Back and a link', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/actions' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'New action' }).first().click();
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    // The example is not lost.
    await editor.waitFor();
    await page.getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('link', { name: 'New trigger' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly');
    await expectAsked(page);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Nightly');
    await page.getByRole('link', { name: 'Wallets' }).click();
    await asks(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'No wallets yet' }).waitFor();

    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('link', { name: 'New action' }).first().click();
    await editor.fill('const own = 1;');
    await expectAsked(page);
    expect(await editor.textContent()).toBe('const own = 1;');
  });

  test('a sign-out asks first', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/actions/new' });
    const { page } = dashboard;
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
