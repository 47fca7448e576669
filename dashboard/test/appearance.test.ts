import { hasChromium } from '@latchkey/testing/chromium';
import { addUsageKey, stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { fillAccount, newChainSecuredAccount, newManagedAccount, openSignedIn } from './accounts.ts';
import { expectFits, useChromium } from './browser.ts';

const colorOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).color);

describe.runIf(hasChromium)('appearance', () => {
  useChromium();

  test.each([
    ['light', 'rgb(123, 47, 190)', 'rgb(36, 36, 36)'],
    ['dark', 'rgb(201, 160, 245)', 'rgb(241, 243, 245)'],
  ] as const)('code and badges have their colours: %s', async (colorScheme, keyword, badge) => {
    await using dashboard = await openSignedIn(await newManagedAccount(), {
      colorScheme,
      path: '/actions/new',
    });
    const { page } = dashboard;
    await page.locator('.tok-keyword').first().waitFor();
    expect(await colorOf(page, '.tok-keyword')).toBe(keyword);
    expect(await colorOf(page, '.mantine-Badge-label')).toBe(badge);
  });

  test('on a phone the closed navigation has no focus stop', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { width: 375, height: 700 });
    const { page } = dashboard;
    const isInert = () => page.locator('nav').evaluate((nav) => (nav as HTMLElement).inert);
    expect(await isInert()).toBe(true);
    await page.getByRole('button', { name: 'Navigation' }).click();
    expect(await isInert()).toBe(false);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    expect(await isInert()).toBe(true);
  });

  test('a name of 128 characters stays in its column', async () => {
    const account = await newManagedAccount();
    const name = 'W'.repeat(128);
    await account.client.addGroup({ name, description: '' });
    await account.client.addUsageApiKey({ name });
    await account.client.createWallet({ name, description: '' });
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    for (const path of ['Groups', 'Usage keys', 'Wallets']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: path }).click();
      const table = page.getByRole('table', { name: path });
      await table.getByText(name).first().waitFor();
      const widths = await table
        .locator('td')
        .evaluateAll((cells) => cells.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      expect(Math.max(...widths)).toBeLessThanOrEqual(0);
      await expectFits(page);
    }
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name }).waitFor();
    await expectFits(page);
  });

  test('the list of usage keys reads their runs in one request', async () => {
    const account = await newManagedAccount();
    for (let count = 0; count < 3; count++) await addUsageKey(account.key);
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('list_runs')) requests.push(request.url());
    });
    await page.getByRole('link', { name: 'Usage keys', exact: true }).first().click();
    await expect.poll(() => page.getByText('No run', { exact: true }).count()).toBe(3);
    expect(requests).toHaveLength(1);
  });

  test('the preview of a wallet’s write has names', async () => {
    const account = await newChainSecuredAccount();
    await fillAccount(account);
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('button', { name: 'Remove Sign from the group' }).click();
    await page.getByText(/the group “Payments”.*“Sign” \(0x/).waitFor();
  });

  test('a path without an item says so', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/runs/nonsense' });
    const { page } = dashboard;
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor();
    expect(await page.getByText('GUID').count()).toBe(0);
  });

  test('a managed account is not asked for a wallet when the trigger service is down', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount());
    const { page } = dashboard;
    await page.route(`${stack.triggersUrl}/**`, (route) => route.abort());
    await page.getByRole('link', { name: 'Triggers' }).click();
    await page.getByText('The service does not answer.').waitFor();
    expect(await page.getByRole('button', { name: 'Log in with the wallet' }).count()).toBe(0);
    await page.unroute(`${stack.triggersUrl}/**`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No triggers yet').waitFor();
  });
});
