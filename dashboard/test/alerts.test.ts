import { hasChromium } from '@latchkey/testing/chromium';
import { newAccount } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

describe.runIf(hasChromium)('alerts', () => {
  useChromium();

  test('their webhook is set, its secret is shown once, it is tested, changed and deleted', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard({ path: '/triggers', width: 375 });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('No alerts yet').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Set up alerts' }).click();
    const url = page.getByRole('textbox', { name: 'URL' });
    await url.fill('https://127.0.0.1/');
    await page.getByRole('button', { name: 'Save the alerts' }).click();
    await page.getByText('127.0.0.1 is a private address').waitFor();
    await url.fill('https://alerts.invalid/');
    await page.getByRole('button', { name: 'Save the alerts' }).click();
    const secret = page.getByRole('textbox', { name: 'Secret' });
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('3 in a row').waitFor();
    expect(await secret.count()).toBe(0);
    await page.getByRole('button', { name: 'Send a test alert' }).click();
    await page.getByText('The test alert was not delivered').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('After failed runs in a row').fill('7');
    await page.getByRole('button', { name: 'Save the alerts' }).click();
    await page.getByText('7 in a row').waitFor();
    expect(await secret.count()).toBe(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the alerts' }).click();
    await page.getByText('No alerts yet').waitFor();
  });
});
