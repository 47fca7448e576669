import { cidHash } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { hex } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Entry, findEntries } from '../src/search/entries.ts';
import { fillAccount, modes, newAccountIn, newManagedAccount, openSignedIn, runCode } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

const entry = (kind: Entry['kind'], name: string, ...texts: string[]): Entry => ({
  kind,
  name,
  note: '',
  to: `/${name}`,
  texts: [name, ...texts],
});
const namesOf = (entries: Entry[], query: string) =>
  findEntries(entries, query).found.map(({ name }) => name);

describe('the search', () => {
  const entries = [
    entry('Page', 'Groups'),
    entry('Group', 'Old payments'),
    entry('Group', 'Payments', '12'),
    entry('Wallet', 'Payer', '0xAbC0000000000000000000000000000000000001'),
  ];

  test('finds all words, in upper or lower case, and names that begin with them first', () => {
    expect(namesOf(entries, ' PAYMENTS ')).toEqual(['Payments', 'Old payments']);
    expect(namesOf(entries, 'old pay')).toEqual(['Old payments']);
    expect(namesOf(entries, '0xabc')).toEqual(['Payer']);
    expect(namesOf(entries, 'nothing')).toEqual([]);
  });

  test('shows the pages before anything is entered', () => {
    expect(namesOf(entries, '  ')).toEqual(['Groups']);
  });

  test('shows 50 entries at most, and says that there are more', () => {
    const many = Array.from({ length: 51 }, (_, i) => entry('Group', `g${i}`));
    const { found, isCut } = findEntries(many, 'g');
    expect([found.length, isCut]).toEqual([50, true]);
  });

  test('finds the action of a CID that is known by its hash only', () => {
    const cid = `Qm${'a'.repeat(44)}`;
    const action = entry('Action', 'Sign', hex(cidHash(cid)));
    expect(namesOf([action], cid)).toEqual(['Sign', 'Runs of this CID']);
  });

  test.each([
    ['6f1c2a4e-9b1d-4c57-8a39-2f0e5d7c6b11', ['Run', 'Run of a trigger', 'Transaction', 'Approval']],
    [`0x${'1'.repeat(64)}`, ['Transaction']],
    [`Qm${'a'.repeat(44)}`, ['Runs of this CID']],
    [`0x${'1'.repeat(40)}`, []],
    ['6f1c2a4e-9b1d-4c57-8a39-2f0e5d7c6b11/../../settings', []],
    [`Qm${'a'.repeat(43)}/`, []],
  ])('leads from the identifier %s to its possible pages', (id, names) => {
    expect(namesOf([], id)).toEqual(names);
  });
});

async function searchFor(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Name, id, address, hash or CID' }).fill(text);
}

describe.runIf(hasChromium)('the search', () => {
  useChromium();

  test.each(modes)('opens what is found with the keyboard alone: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { cid, used } = await fillAccount(account);
    const [key] = (await account.client.listApiKeys()).items;
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Payments' }).waitFor();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await searchFor(page, 'payments');
    expect(loaded.filter((url) => url.includes('/search-dialog-'))).toHaveLength(1);
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const field = dialog.getByRole('combobox');
    await dialog.getByRole('option', { name: /^Payments/, selected: true }).waitFor();
    await expectAccessible(page);
    const active = async () => {
      const id = await field.getAttribute('aria-activedescendant');
      return id ? page.locator(`[id="${id}"]`).textContent() : null;
    };
    expect(await active()).toMatch(/^Payments/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/groups/1');
    await dialog.waitFor({ state: 'detached' });

    // The arrows go round.
    await searchFor(page, '');
    expect(await active()).toMatch(/^Overview/);
    await page.keyboard.press('ArrowUp');
    expect(await active()).toMatch(/^Settings/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Usage keys' }).waitFor();

    // Also from a field.
    await page.getByRole('searchbox', { name: 'Search in “Usage keys”' }).focus();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    for (const [pasted, path] of [
      [used.toLowerCase(), `/wallets/${used}`],
      [hex(key?.usageKeyHash ?? 0n), `/keys/${hex(key?.usageKeyHash ?? 0n)}`],
      [cid, `/actions/**`],
    ] as const) {
      await searchFor(page, pasted);
      await dialog.getByRole('option', { selected: true }).filter({ hasNotText: 'Transaction' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${path}`);
    }
    await page.getByRole('heading', { name: 'Sign', exact: true }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field.fill('test');
    await dialog.getByRole('option', { name: /^test/ }).first().waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await dialog.getByRole('option', { name: /^test/ }).first().click();
    await page.getByRole('heading', { name: 'test' }).waitFor();
  });

  test('shows names as they are written, and leads nowhere with what another account has', async () => {
    const stranger = await newManagedAccount();
    const strange = await fillAccount(stranger);
    const [strangeKey] = (await stranger.client.listApiKeys()).items;
    const code = 'function main() {}';
    const { groupId } = await stranger.client.addGroup({ name: 'Open', description: '', cids: [0n] });
    const { usageKey } = await stranger.client.addUsageApiKey({ name: 'any', executeInGroups: [groupId] });
    const runId = await runCode(usageKey, code);
    const account = await newManagedAccount();
    await account.client.addGroup({ name: '<img src=x onerror=alert(1)> \u202egpj', description: '' });
    await using dashboard = await openSignedIn(account);
    const { page } = dashboard;
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await searchFor(page, 'onerror');
    await dialog.getByText('<img src=x onerror=alert(1)> \ufffdgpj').waitFor();
    expect(await dialog.locator('img').count()).toBe(0);

    await dialog.getByRole('combobox').fill(strange.used);
    await dialog.getByText('Nothing found.').waitFor();
    await expectAccessible(page);
    for (const [pasted, heading] of [
      [runId, 'There is no such run'],
      [hex(strangeKey?.usageKeyHash ?? 0n), 'There is no such transaction'],
    ] as const) {
      await dialog.getByRole('combobox').fill(pasted);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading }).waitFor();
      await searchFor(page, '');
    }
    await dialog.getByRole('combobox').fill(strange.cid);
    await page.keyboard.press('Enter');
    await page.getByText('No run matches the filters').waitFor();
  });

  test('asks before a form is lost, and stays usable when lists fail', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), { path: '/triggers/new' });
    const { page } = dashboard;
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly');
    await page.route(/\/list_groups\?/, (route) => route.abort());
    await searchFor(page, 'wallets');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('button', { name: 'Not all was loaded: try again' }).waitFor();
    await page.unroute(/\/list_groups\?/);
    await dialog.getByRole('button', { name: 'Not all was loaded: try again' }).click();
    await dialog
      .getByRole('button', { name: 'Not all was loaded: try again' })
      .waitFor({ state: 'detached' });
    await dialog.getByRole('option', { name: 'Wallets' }).click();
    const asks = page.getByRole('dialog', { name: 'Leave the page?' });
    await asks.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Nightly');
  });
});
