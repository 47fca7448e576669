/** Changes by other programs and by the page itself appear without a reload. */
import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { addRunner, newManagedAccount, openSignedIn, runCode } from './accounts.ts';
import { useChromium } from './browser.ts';

describe.runIf(hasChromium)('fresh data', () => {
  useChromium();

  test('a run over the API appears in the list, and a write lowers the credit in the header', async () => {
    const account = await newManagedAccount();
    const usageKey = await addRunner(account);
    await runCode(usageKey, 'function main() { return 1 }');
    await using dashboard = await openSignedIn(account, { path: '/runs' });
    const { page } = dashboard;
    const rows = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    await runCode(usageKey, 'function main() { return 2 }');
    await expect.poll(() => rows.count()).toBe(2);

    const credit = page.getByRole('banner').getByText(/^\$/);
    const before = await credit.textContent();
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Payments');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await page.getByRole('link', { name: 'Payments' }).waitFor();
    // Before the next refresh by time.
    await expect.poll(() => credit.textContent(), { timeout: 20_000 }).not.toBe(before);
  });
});
