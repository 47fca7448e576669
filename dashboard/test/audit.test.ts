import { readFile } from 'node:fs/promises';
import type { RecordedChange } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import type { AccountLists } from '../src/names.ts';
import { toCsv, whatOf, whoOf } from '../src/pages/audit/words.ts';
import { fillAccount, modes, newAccountIn, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

const noLists: AccountLists = { groups: [], keys: [], actions: [], wallets: [] };
const sender = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' as const;
const signer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const;
const changeOf = (fields: Partial<RecordedChange>): RecordedChange => ({
  id: '1-0',
  event: 'GroupAdded',
  data: { group_id: '3', name: '' },
  at: new Date(0),
  blockNumber: 1n,
  transactionHash: `0x${'ab'.repeat(32)}`,
  sender,
  isSentByService: true,
  ...fields,
});

describe('the words of a change', () => {
  test('name the account key, a usage key, the wallet that signed, and the wallet that sent', () => {
    const who = (fields: Partial<RecordedChange>) => whoOf(changeOf(fields), noLists);
    expect(who({})).toEqual({ who: 'Account key', sent: 'sent by the service' });
    expect(who({ usageKeyHash: 7n }).who).toMatch(/^Key 0x0000/);
    expect(who({ signer })).toEqual({ who: 'Wallet 0x709979…dc79C8', sent: 'signed, sent by the service' });
    expect(who({ isSentByService: false })).toEqual({
      who: 'Wallet 0xf39Fd6…b92266',
      sent: 'sent by itself',
    });
  });

  test('have the name of the time of the change, and show its hidden characters', () => {
    expect(whatOf(changeOf({}), noLists)).toBe('Added the group “Group 3”');
    const named = changeOf({ data: { group_id: '3', name: 'a\u202eb' } });
    expect(whatOf(named, noLists)).toBe('Added the group “a\ufffdb”');
    expect(whatOf(changeOf({ event: 'FromTheFuture' }), noLists)).toBe('FromTheFuture');
  });

  test('are not read as formulas or further cells by a spreadsheet', () => {
    const name = '=HYPERLINK("https://example.com"),\r\n+1';
    const key = { usageKeyHash: 7n, name } as AccountLists['keys'][number];
    const change = changeOf({ data: { name }, usageKeyHash: 7n });
    const csv = toCsv([change], { ...noLists, keys: [key] });
    expect(csv.split('\r\n')).toHaveLength(3);
    expect(csv).not.toMatch(/(^|,)"?[=+]/m);
  });
});

describe.runIf(hasChromium)('history', () => {
  useChromium();

  test.each(modes)('shows who changed what, and saves it: %s', async (mode) => {
    const account = await newAccountIn(mode);
    await fillAccount(account);
    await using dashboard = await openSignedIn(account, { path: '/audit', width: 375 });
    const { page, sign } = dashboard;
    await sign();
    const added = page.getByRole('row').filter({ hasText: 'Added the group “Payments”' });
    await added.waitFor();
    const by =
      mode === 'api'
        ? /Account key\s*sent by the service/
        : /Wallet 0x.*(sent by itself|signed, sent by the service)/;
    expect(await added.textContent()).toMatch(by);
    await page.getByText('Opened the account').waitFor();
    await page.getByText('Added the group “Payments”').click();
    await page.getByText('"description": "Pays invoices"').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength((await account.client.listAccountChanges()).items.length + 1);
    expect(lines.find((line) => line.includes('GroupAdded'))).toContain('Added the group “Payments”');
  });
});
