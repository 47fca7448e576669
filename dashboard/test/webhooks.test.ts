import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { addRunner, modes, newAccountIn, openSignedIn, runCode } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

describe.runIf(hasChromium)('webhooks', () => {
  useChromium();

  test.each(modes)(
    'one is added, its secret is shown once, its deliveries, and it is deleted: %s',
    async (mode) => {
      const account = await newAccountIn(mode);
      const usageKey = await addRunner(account);
      await using dashboard = await openSignedIn(account, { path: '/webhooks', width: 375 });
      const { page, sign } = dashboard;
      await sign();
      await page.getByText('No webhooks yet').waitFor();
      await expectAccessible(page);
      await expectFits(page);
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByRole('textbox', { name: 'URL' }).fill('https://127.0.0.1/');
      await page.getByLabel('The credit is low').check();
      await page.getByRole('button', { name: 'Add the webhook' }).click();
      await page.getByText('127.0.0.1 is a private address').waitFor();
      await page.getByRole('textbox', { name: 'URL' }).fill('https://webhook.invalid/');
      await page.getByRole('button', { name: 'Add the webhook' }).click();
      const secret = page.getByRole('textbox', { name: 'Secret' });
      expect(await secret.inputValue()).toMatch(/^whsec_/);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'run.finished, credit.low' }).waitFor();
      expect(await secret.count()).toBe(0);

      await runCode(usageKey, 'function main() { return 1 }');
      await page.getByRole('button', { name: 'Deliveries' }).click();
      const deliveries = page.getByRole('table', { name: 'Deliveries' });
      await deliveries.getByText('run.finished').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete the webhook' }).click();
      await page.getByText('No webhooks yet').waitFor();
      expect(await account.client.listWebhooks()).toEqual([]);
    },
  );
});
