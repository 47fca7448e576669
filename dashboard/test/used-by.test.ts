import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { type Address, zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { accessOf } from '../src/access.ts';
import type { ListedGroup, ListedUsageKey } from '../src/names.ts';
import {
  addRunner,
  fillAccount,
  modes,
  newAccountIn,
  newManagedAccount,
  openSignedIn,
  signingCode,
  triggersOf,
} from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

test('an action is used by the keys of its groups that have not expired, and uses the wallets of its groups', () => {
  const wallets = ['0x01', '0x02', '0x03'] as Address[];
  const group = (groupId: bigint, cidHashes: bigint[], pkpIds: Address[]) =>
    ({ groupId, cidHashes, pkpIds }) as ListedGroup;
  const key = (name: string, executeInGroups: bigint[], expiration = 0n) =>
    ({ name, executeInGroups, expiration }) as ListedUsageKey;
  const groups = [
    group(1n, [7n], wallets.slice(0, 1)),
    group(2n, [0n], wallets.slice(0, 2)),
    group(3n, [8n], wallets.slice(2)),
  ];
  const keys = [
    key('by name', [1n]),
    key('by every action', [2n]),
    key('by every group', [0n]),
    key('another action', [3n]),
    key('expired', [1n], 1n),
  ];
  const { keys: found, wallets: used } = accessOf({ groups, keys }, 7n);
  expect(found.map(({ name }) => name)).toEqual(['by name', 'by every action', 'by every group']);
  expect(used).toEqual(wallets.slice(0, 2));
  expect(accessOf({ groups: [group(1n, [7n], [zeroAddress])], keys: [] }, 7n).wallets).toEqual([zeroAddress]);
});

const linksOf = (page: Page, row: string) =>
  page
    .getByRole('table', { name: 'Keys and wallets of the action' })
    .getByRole('row', { name: row })
    .getByRole('link')
    .allTextContents();
const triggersIn = (page: Page) =>
  page.getByRole('table', { name: 'Triggers' }).getByRole('link').allTextContents();

describe.runIf(hasChromium)('the users of an action', () => {
  useChromium();

  test.each(modes)('are its keys, wallets and triggers, and no others: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { cid, usageKey } = await fillAccount(account);
    const everyAction = await addRunner(account);
    const { groupId } = await client.addGroup({ name: 'Empty', description: '' });
    await client.addUsageApiKey({ name: 'Outsider', executeInGroups: [groupId] });
    const triggers = await triggersOf(account);
    const kind = 'webhook' as const;
    await triggers.createTrigger({ name: 'by its CID', kind, cid, usageKey });
    await triggers.createTrigger({ name: 'by its code', kind, code: signingCode, usageKey });
    await triggers.createTrigger({
      name: 'other code',
      kind,
      code: `${signingCode} `,
      usageKey: everyAction,
    });
    const stranger = await newManagedAccount();
    const strange = await fillAccount(stranger);
    const theirs = await triggersOf(stranger);
    await theirs.createTrigger({ name: 'of a stranger', kind, cid, usageKey: strange.usageKey });

    await using dashboard = await openSignedIn(account, { path: `/actions/${cid}`, width: 320 });
    const { page, sign } = dashboard;
    await expect.poll(() => linksOf(page, 'Usage keys')).toEqual(['Server', 'Server']);
    expect(await linksOf(page, 'Wallets')).toEqual(['test']);
    await sign('Log in with the wallet');
    await expect.poll(async () => (await triggersIn(page)).sort()).toEqual(['by its CID', 'by its code']);
    await expectFits(page);
    await expectAccessible(page);
  });

  test('have links to their pages, and are gone once they are removed', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { cid, usageKey, used } = await fillAccount(account);
    const triggers = await triggersOf(account);
    const kind = 'webhook' as const;
    const byCode = await triggers.createTrigger({ name: 'by its code', kind, code: signingCode, usageKey });
    await using dashboard = await openSignedIn(account, { path: `/actions/${cid}` });
    const { page, reopen } = dashboard;
    await page.getByRole('link', { name: 'by its code' }).click();
    await page.getByRole('heading', { name: 'by its code' }).waitFor();
    await page.goBack();
    const rows = page.getByRole('table', { name: 'Keys and wallets of the action' }).getByRole('row');
    await rows.filter({ hasText: 'Usage keys' }).getByRole('link', { name: 'Server' }).click();
    await page.getByRole('heading', { name: 'Server' }).waitFor();
    await page.goBack();
    await rows.filter({ hasText: 'Wallets' }).getByRole('link', { name: 'test' }).click();
    await page.getByText('Address').getByTitle(used).waitFor();

    await triggers.deleteTrigger({ triggerId: byCode.id });
    await client.removeUsageApiKey({ usageKey: (await client.listApiKeys()).items[0]?.usageKeyHash ?? 0n });
    await reopen();
    await page.getByText('No usage key can run it.').waitFor();
    await page.getByText('No trigger runs this action.').waitFor();
  });

  test('the page stands when the trigger service refuses or does not answer, and tries again', async () => {
    const account = await newManagedAccount();
    await fillAccount(account);
    await using dashboard = await openSignedIn(account, { path: '/' });
    const { page } = dashboard;
    await page.route(`${stack.triggersUrl}/**`, (sent) => sent.abort());
    await page.getByRole('link', { name: 'Actions', exact: true }).first().click();
    await page.getByRole('link', { name: 'Sign', exact: true }).click();
    const triggers = page.getByRole('region', { name: 'Triggers' });
    await triggers.getByText('The service does not answer.').waitFor();
    expect(await linksOf(page, 'Usage keys')).toEqual(['Server']);
    await expectAccessible(page);
    await page.unroute(`${stack.triggersUrl}/**`);
    await page.route(/\/api\/triggers\b/, (sent) =>
      sent.fulfill({
        status: 403,
        headers: { 'Access-Control-Allow-Origin': '*' },
        json: { error: 'forbidden', message: 'not permitted' },
      }),
    );
    await triggers.getByRole('button', { name: 'Try again' }).click();
    await triggers.getByText('Not permitted.').waitFor();
    expect(await linksOf(page, 'Usage keys')).toEqual(['Server']);
    await page.unroute(/\/api\/triggers\b/);
    await triggers.getByRole('button', { name: 'Try again' }).click();
    await triggers.getByText('No trigger runs this action.').waitFor();
  });

  test('a new version shows the triggers that go on with the version before', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { cid, usageKey } = await fillAccount(account);
    await client.storeActionCode({ cid, code: signingCode });
    const triggers = await triggersOf(account);
    await triggers.createTrigger({ name: 'nightly', kind: 'webhook', cid, usageKey });
    await using dashboard = await openSignedIn(account, { path: `/actions/${cid}/publish` });
    const before = dashboard.page.getByRole('region', { name: 'Triggers of the version before' });
    await before.getByRole('link', { name: 'nightly' }).waitFor();
    await expectAccessible(dashboard.page);
  });
});
