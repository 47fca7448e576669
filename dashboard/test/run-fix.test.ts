import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { modes, newAccountIn, newManagedAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, useChromium } from './browser.ts';

describe.runIf(hasChromium)('a refused run', () => {
  useChromium();

  test.each(modes)(
    'goes after the action was added to a group of the key, by one button: %s',
    async (mode) => {
      const account = await newAccountIn(mode);
      const { client } = account;
      const { groupId } = await client.addGroup({ name: 'Payments', description: '' });
      await client.addGroup({ name: 'Others', description: '' });
      const { usageKey } = await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] });
      await using dashboard = await openSignedIn(account, { path: '/actions/new' });
      const { page, confirm } = dashboard;
      await page.locator('input[type=password]').fill(usageKey);
      await page.getByRole('button', { name: 'Run the action' }).click();
      const add = page.getByRole('button', { name: 'Add this action to Payments' });
      await add.waitFor();
      expect(await page.getByRole('button', { name: 'Add this action to Others' }).count()).toBe(0);
      await expectAccessible(page);
      await add.click();
      await confirm();
      await page.getByText('The group permits the action. Run it again.').waitFor();
      await page.getByRole('button', { name: 'Run the action' }).click();
      await page.getByText('Receipt verified').waitFor();
      expect(await add.count()).toBe(0);
    },
  );

  test('names the credit and the caps of the key when it cannot be paid', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { groupId } = await client.addGroup({ name: 'Open', description: '', cids: [0n] });
    const key = { name: 'Server', executeInGroups: [groupId], spendCapCents: 1 };
    const { usageKey } = await client.addUsageApiKey(key);
    await using dashboard = await openSignedIn(account, { path: '/actions/new' });
    const { page } = dashboard;
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByText('Receipt verified').waitFor();
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByRole('link', { name: 'Open the caps of the key' }).waitFor();
    await page.getByRole('link', { name: 'Add credit' }).click();
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
  });
});
