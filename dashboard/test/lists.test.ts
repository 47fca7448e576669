import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { selectItems } from '../src/components/select-items.ts';
import { fillAccount, newManagedAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

describe('a list', () => {
  type Item = { name: string; size: bigint; state: string };
  const items: Item[] = [
    { name: 'item 10', size: 1n, state: 'open' },
    { name: 'Item 9', size: 2n ** 70n, state: 'open' },
    { name: 'other', size: 3n, state: 'closed' },
  ];
  const select = ({
    query = '',
    order = '',
    values = {},
  }: {
    query?: string;
    order?: string;
    values?: object;
  }) =>
    selectItems(items, {
      query,
      order,
      values: { ...values },
      texts: ({ name, state }) => [name, state],
      sorts: [
        ['name', ({ name }) => name],
        ['size', ({ size }) => size],
      ],
      filters: [
        {
          name: 'state',
          label: 'State',
          options: [
            { value: 'open', label: 'Open' },
            { value: 'closed', label: 'Closed' },
          ],
          matches: ({ state }, value) => state === value,
        },
      ],
    }).map(({ name }) => name);

  test('has the items with all words of the query', () => {
    expect(select({ query: 'ITEM' })).toEqual(['item 10', 'Item 9']);
    expect(select({ query: ' item  9' })).toEqual(['Item 9']);
    expect(select({ query: '.*' })).toEqual([]);
  });

  test('is sorted by names with their numbers, and by exact amounts', () => {
    expect(select({ order: 'name' })).toEqual(['Item 9', 'item 10', 'other']);
    expect(select({ order: '-size' })).toEqual(['Item 9', 'other', 'item 10']);
  });

  test('has its own order for an unknown one, and all items for an unknown filter', () => {
    const all = items.map(({ name }) => name);
    for (const order of ['', 'constructor', '-__proto__']) expect(select({ order })).toEqual(all);
    expect(select({ values: { state: 'constructor' } })).toEqual(all);
    expect(select({ values: { state: 'closed' } })).toEqual(['other']);
  });
});

const COUNT = 30;

describe.runIf(hasChromium)('lists', () => {
  useChromium();

  test('keep search, order, filters and page in the URL', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    await fillAccount(account);
    await Promise.all(
      Array.from({ length: COUNT }, (_, i) => client.addGroup({ name: `Team ${i + 1}`, description: 'x' })),
    );
    await using dashboard = await openSignedIn(account, { path: '/groups?q=team&sort=-name&page=2' });
    const { page } = dashboard;
    const table = page.getByRole('table', { name: 'Groups' });
    const rows = table.getByRole('row');
    await table.getByRole('link', { name: 'Team 1', exact: true }).waitFor();
    expect(await table.getByRole('link').allTextContents()).toEqual([5, 4, 3, 2, 1].map((i) => `Team ${i}`));
    const field = page.getByRole('searchbox', { name: 'Search in “Groups”' });
    expect(await field.inputValue()).toBe('team');
    await page.getByText(`Found: ${COUNT} of ${COUNT + 1}`).waitFor();
    expect(await table.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    await expectAccessible(page);

    // Typing begins at the first page.
    await field.fill('team 2');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=team+2&sort=-name');
    await expect.poll(() => table.getByRole('link').first().textContent()).toBe('Team 29');
    await table.getByRole('link', { name: 'Team 2', exact: true }).click();
    await page.getByRole('heading', { name: 'Team 2', exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe('team 2');
    // 2, 12, and 20 to 29.
    expect(await rows.count()).toBe(1 + 12);
    // Descending, the list's own order, ascending.
    const byName = table.getByRole('button', { name: 'Name' });
    await byName.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?q=team+2');
    await byName.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => table.getByRole('link').first().textContent()).toBe('Team 2');
    await field.fill('no such group');
    await page.getByText(`Found: 0 of ${COUNT + 1}`).waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=name');
    expect(await rows.count()).toBe(1 + 25);
    await page.getByRole('button', { name: 'Page 2' }).first().click();
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=name&page=2');
  });

  test('have rows of 36 pixels, and ignore nonsense in the URL', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    await fillAccount(account);
    await client.addUsageApiKey({ name: 'W'.repeat(128), expiration: 1n });
    const search = '?q=&sort=constructor&page=-7&group=nonsense&state=%7B%22a%22%3A1%7D';
    await using dashboard = await openSignedIn(account, { path: `/keys${search}` });
    const { page } = dashboard;
    for (const name of ['Usage keys', 'Groups', 'Actions', 'Wallets']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
      const rows = page.getByRole('table', { name, exact: true }).locator('tbody tr');
      await rows.first().waitFor();
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThanOrEqual(37);
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
    }
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/keys');
    const keys = page.getByRole('table', { name: 'Usage keys' }).getByRole('link');
    await expect.poll(() => keys.count()).toBe(2);
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Expired' }).click();
    await expect.poll(() => keys.allTextContents()).toEqual(['W'.repeat(128)]);
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: /^Payments/ }).click();
    await page.getByText('Found: 0 of 2').waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectFits(page);
    await expectAccessible(page);
  });
});
