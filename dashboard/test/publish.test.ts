import { cidHash } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { cidOfCode } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  fillAccount,
  modes,
  newAccountIn,
  newManagedAccount,
  openSignedIn,
  signingCode,
} from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

const nextCode = signingCode.replace('{ pkpId, message }', "{ pkpId, message = 'hello' }");

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Code of the action' });
const cellOf = async (page: Page, name: string): Promise<string | null> =>
  page
    .getByRole('table', { name: 'What changes' })
    .getByRole('row', { name })
    .getByRole('cell')
    .textContent();

describe.runIf(hasChromium)('a new version of an action', () => {
  useChromium();

  test.each(modes)('takes the place of the version before, after a preview: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { cid } = await fillAccount(account);
    await addRunner(account);
    await client.storeActionCode({ cid, code: signingCode });
    const before = cidHash(cid);
    await using dashboard = await openSignedIn(account, { path: `/actions/${cid}` });
    const { page, confirm, sign } = dashboard;
    await page.getByRole('link', { name: 'Publish a new version' }).click();
    await sign();
    await editorOf(page).getByText('signMessage').waitFor();
    await page.getByText('This is the code of the version before.').waitFor();
    const publish = page.getByRole('button', { name: 'Publish the version' });
    expect(await publish.isDisabled()).toBe(true);
    await editorOf(page).fill(nextCode);
    const next = await cidOfCode(nextCode);
    await page.getByTitle(next).waitFor();
    expect(await cellOf(page, 'Groups')).toBe('Payments');
    // The group with every action already permits it to the key of the runner.
    expect(await cellOf(page, 'Keys that can run the new version')).toBe('Server');
    expect(await cellOf(page, 'Keys that can no longer run the version before')).toBe('Server');
    expect(await cellOf(page, 'Wallets that it can use')).toBe('test');
    await page.getByLabel('Stays in its groups').check();
    await expect.poll(() => cellOf(page, 'Keys that can no longer run')).toBe('None');
    await page.getByLabel('Stays registered').check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the changes' }).click();
    const changes = page.getByRole('dialog').getByRole('textbox', { name: 'Changes of the code' });
    await changes.getByText("message = 'hello'").waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await page.getByLabel('Description').fill('Signs a message, or hello');
    await publish.click();
    await confirm();
    await page.getByText('It has the CID of the action.').waitFor();
    expect(page.url()).toContain(next);
    expect((await client.listGroups()).items).toMatchObject([
      { name: 'Payments', cidHashes: [cidHash(next)] },
      { name: 'Open', cidHashes: [0n] },
    ]);
    expect((await client.listActions()).items).toMatchObject([
      { cidHash: before },
      { cidHash: cidHash(next), name: 'Sign', description: 'Signs a message, or hello' },
    ]);
    expect(await client.listActionCodes()).toMatchObject([{ cid: next, replaces: before }, { cid }]);
    if (account.mode === 'chainSecured') {
      const sent = account.wallet.asked.filter((method) => method === 'eth_sendTransaction');
      expect(sent).toHaveLength(1);
    }

    const versions = page.getByRole('table', { name: 'Versions' });
    expect(await versions.getByRole('row').count()).toBe(3);
    await expectAccessible(page);
    await versions.getByRole('button', { name: /^Compare with/ }).click();
    await changes.getByText("message = 'hello'").waitFor();
    await page.keyboard.press('Escape');
    // The draft ended with its publication.
    await page.getByRole('link', { name: 'Publish a new version' }).click();
    await editorOf(page).waitFor();
    expect(await page.getByText('This is your draft').count()).toBe(0);
  });

  test('the version before can be removed, and its code deleted; a lost reply does no harm', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { cid } = await fillAccount(account);
    await client.storeActionCode({ cid, code: signingCode });
    await using dashboard = await openSignedIn(account, {
      path: `/actions/${cid}/publish`,
      width: 375,
      colorScheme: 'dark',
    });
    const { page } = dashboard;
    await editorOf(page).getByText('signMessage').waitFor();
    await editorOf(page).fill(nextCode);
    await page.getByLabel('Is removed from the account').check();
    await page.getByRole('table', { name: 'What changes' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the changes' }).click();
    await page.getByRole('textbox', { name: 'Changes of the code' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // The last write is made, and its reply is lost.
    await page.route(/\/delete_action$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Publish the version' }).click();
    await page.getByText('The service does not answer.').waitFor();
    await page.unroute(/\/delete_action$/);
    await page.getByRole('button', { name: 'Publish the version' }).click();
    await page.getByText('It has the CID of the action.').waitFor();
    const next = await cidOfCode(nextCode);
    expect((await client.listActions()).items).toMatchObject([{ cidHash: cidHash(next) }]);
    expect((await client.listGroups()).items).toMatchObject([{ cidHashes: [cidHash(next)] }]);

    const before = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: 'Not registered' });
    await before.getByRole('button', { name: /^Delete the code of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the code' }).click();
    await page.getByText('The code is not stored').waitFor();
    expect(await client.listActionCodes()).toMatchObject([{ cid: next }]);
  });

  test('code that was never stored can be replaced, and an action of another account cannot', async () => {
    const account = await newManagedAccount();
    const { cid } = await fillAccount(account);
    await using dashboard = await openSignedIn(account, { path: '/actions' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Sign', exact: true }).click();
    await page.getByRole('link', { name: 'Publish a new version' }).click();
    await page.getByText('The code of the version before is not stored').waitFor();
    await editorOf(page).fill(signingCode);
    await page.getByText('This is the code of the version before.').waitFor();
    await editorOf(page).fill(nextCode);
    await page.getByRole('button', { name: 'Publish the version' }).click();
    await page.getByText('It has the CID of the action.').waitFor();
    expect(await account.client.listActionCodes()).toMatchObject([{ replaces: cidHash(cid) }]);
    const stranger = await newManagedAccount();
    await using other = await openSignedIn(stranger, { path: `/actions/${cid}/publish` });
    await other.page.getByRole('heading', { name: 'There is no such action' }).waitFor();
  });
});
