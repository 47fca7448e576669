import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { apiKeyHash, isApiKey } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { call, get, hex, newAccount, post, stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  CLOCK_BEHIND_MS,
  expectUnasked,
  fillAccount,
  modes,
  newAccountIn,
  newChainSecuredAccount,
  openSignedIn,
  runCode,
  signingCode,
  triggersOf,
} from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

type Keys = { name: string; api_key_hash: string; expiration: string; [field: string]: unknown }[];
const listKeys = async (key: string) =>
  (await get('list_api_keys?page_number=0&page_size=10', key)).body as Keys;
const shell = promisify(execFile);

describe.runIf(hasChromium)('usage keys', () => {
  useChromium();

  test('are created, and shown once with a first request that works', async () => {
    const { key } = await newAccount();
    await post('add_group', { group_name: 'Open', group_description: '', cid_hashes_permitted: [0] }, key);
    await using dashboard = await openDashboard({ path: '/keys' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'No usage keys yet' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'New usage key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New usage key' });
    await dialog.getByLabel('Name').fill('Server');
    await dialog.getByRole('combobox', { name: 'Runs the actions of' }).click();
    await page.getByRole('option', { name: /^Open/ }).click();
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Expires on').fill('2040-05-17');
    const recording = dialog.getByLabel('Record the output of its runs');
    expect(await recording.isChecked()).toBe(false);
    await recording.check();
    await dialog.getByRole('button', { name: 'Caps' }).click();
    await dialog.getByLabel('Spending, in US dollars').fill('2.50');
    await dialog.getByRole('combobox', { name: 'Window of the spending' }).click();
    await page.getByRole('option', { name: 'per day' }).click();
    await dialog.getByRole('button', { name: 'Other permissions' }).click();
    await dialog.getByLabel('Create wallets').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create the usage key' }).click();

    const shown = page.getByRole('dialog', { name: 'Store the usage key now' });
    const usageKey = await shown.getByRole('textbox', { name: 'Usage key' }).inputValue();
    expect(isApiKey(usageKey)).toBe(true);
    await expectAccessible(page);
    const { stdout } = await shell('sh', [
      '-c',
      (await shown.getByLabel('First request').textContent()) ?? '',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ response: 'hello you', has_error: false });
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(usageKey);
    const row = page.getByRole('row', { name: /^Server/ });
    await row.getByText('$2.50 per day').waitFor();
    expect(await listKeys(key)).toMatchObject([
      {
        api_key_hash: hex(apiKeyHash(usageKey)),
        can_execute_in_groups: [1],
        can_create_pkps: true,
        spend_cap_cents: 250,
        spend_window_seconds: 86_400,
        expiration: String(new Date('2040-05-17T00:00').getTime() / 1_000),
      },
    ]);
    await expect.poll(async () => (await listKeys(key))[0]?.record_output).toBe(true);
    await row.getByRole('link', { name: 'Server' }).click();
    await page.getByText(/^\$0\.\d+ of \$2\.50 in the last 24 hours$/).waitFor();
    await expectAccessible(page);
    // The newest run was read before the first request.
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('link', { name: 'Usage keys', exact: true }).first().click();
    await expectAccessible(page);
  });

  test.each(modes)('are edited, rotated, recorded and removed: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { usageKey } = await fillAccount(account);
    const yesterday = BigInt(Math.floor(Date.now() / 1_000) - 86_400);
    await client.addUsageApiKey({ name: 'Other', expiration: yesterday });
    const keys = async (): Promise<object[]> => (await client.listApiKeys()).items;
    const options = { width: 375, colorScheme: 'dark', path: '/keys' } as const;
    await using dashboard = await openSignedIn(account, options);
    const { page, confirm } = dashboard;
    await page.getByRole('link', { name: 'Server' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('heading', { name: 'Server' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Backend');
    await page.getByRole('button', { name: 'Change the usage key' }).click();
    await confirm();
    await page.getByRole('heading', { name: 'Backend' }).waitFor();
    expect((await keys())[0]).toMatchObject({
      name: 'Backend',
      executeInGroups: [1n],
      ...(mode === 'api' && { maxConcurrency: 2 }),
    });
    await page.getByRole('button', { name: 'Set the expiry' }).click();
    await page.getByLabel('Expires on').fill('2041-01-02');
    await page.getByRole('dialog').getByRole('button', { name: 'Set the expiry' }).click();
    await confirm();
    await page.getByRole('table', { name: 'Permissions of the key' }).getByText('Jan 2, 2041').waitFor();

    await page.getByRole('button', { name: 'Record the output' }).click();
    await page.getByText('On: the records of its runs have their output.').waitFor();
    const runId = await runCode(usageKey, signingCode);
    expect((await client.getRun({ runId })).output).toBeDefined();
    await page.getByRole('button', { name: 'Stop and delete recorded output' }).click();
    await page.getByRole('button', { name: 'Delete the recorded output' }).click();
    await page.getByText('Off: the records of its runs have no output.').waitFor();
    expect((await client.getRun({ runId })).output).toBeUndefined();

    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const next = await page.getByRole('textbox', { name: 'Usage key' }).inputValue();
    await expectAccessible(page);
    await page.getByLabel('I have stored the new key').check();
    await page.getByRole('button', { name: 'Rotate the usage key' }).click();
    await confirm();
    await page.waitForURL(`**/keys/${hex(apiKeyHash(next))}`);
    await page.getByRole('heading', { name: 'Backend' }).waitFor();
    expect(await call('GET', 'list_runs', { key: usageKey })).toMatchObject({ status: 401 });
    expect(await call('GET', 'list_runs', { key: next })).toMatchObject({ status: 200 });

    await page.getByRole('button', { name: 'Remove the usage key' }).click();
    await page.getByRole('button', { name: mode === 'api' ? 'Cancel' : 'Continue in the wallet' }).waitFor();
    // Enter removes nothing.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await confirm('Remove the usage key');
    await page.getByRole('link', { name: 'Other', exact: true }).waitFor();
    expect(await keys()).toMatchObject([{ name: 'Other' }]);
    // The other fields of an expired key can be saved.
    await page.getByRole('link', { name: 'Other', exact: true }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog').locator('form');
    expect(await form.evaluate((element: HTMLFormElement) => element.checkValidity())).toBe(true);
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove all usage keys' }).click();
    const asks = page.getByRole('dialog', { name: 'Remove all usage keys' });
    await asks.getByRole('row', { name: 'Usage keys 1 None' }).waitFor();
    const proceed = asks.getByRole('button', { name: /^(Remove all usage keys|Continue in the wallet)$/ });
    expect(await proceed.isDisabled()).toBe(true);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await confirm('Remove all usage keys', 'remove');
    await page.getByRole('heading', { name: 'No usage keys yet' }).waitFor();
    expect(await keys()).toEqual([]);
  });

  test('of a wallet: creates a key, and says why there are no caps', async () => {
    const account = await newChainSecuredAccount();
    await using dashboard = await openSignedIn(account, { path: '/keys' });
    const { page, confirm, reopen } = dashboard;
    await page.getByRole('main').getByRole('button', { name: 'New usage key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New usage key' });
    await dialog.getByLabel('Name').fill('Server');
    await dialog.getByRole('button', { name: 'Caps' }).click();
    await dialog.getByText('Keys of a ChainSecured account have no caps').waitFor();
    await dialog.getByLabel('Record the output of its runs').check();
    await dialog.getByRole('button', { name: 'Create the usage key' }).click();
    const recorded = page.waitForResponse('**/set_usage_api_key_recording');
    await confirm();
    expect((await recorded).status()).toBe(200);
    const usageKey = await page.getByRole('textbox', { name: 'Usage key' }).inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Server' }).waitFor();
    expect((await account.client.listApiKeys()).items).toMatchObject([
      { usageKeyHash: apiKeyHash(usageKey) },
    ]);
    await page.clock.install({ time: Date.now() - CLOCK_BEHIND_MS });
    await reopen();
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('No run').waitFor();
    await expectUnasked(page, account.wallet);
    expect(await call('GET', 'list_runs', { key: usageKey })).toMatchObject({ status: 200 });
  });

  test.each(modes)(
    'have a page with their runs and triggers, and those of no other key: %s',
    async (mode) => {
      const account = await newAccountIn(mode);
      const { usageKey, used, cid } = await fillAccount(account);
      const other = await addRunner(account);
      const triggers = await triggersOf(account);
      const kind = 'webhook' as const;
      await triggers.createTrigger({ name: 'of the key', kind, cid, usageKey });
      await triggers.createTrigger({ name: 'of another key', kind, cid, usageKey: other });
      const runner = createClient({ url: stack.url, apiKey: usageKey });
      await runner.runAction({ code: signingCode, jsParams: { pkpId: used, message: 'hi' } });
      await runCode(other, 'function main() {}');
      await using dashboard = await openSignedIn(account, { path: `/keys/${hex(apiKeyHash(usageKey))}` });
      const { page, sign } = dashboard;
      await page.getByRole('region', { name: 'Runs' }).first().waitFor();
      await sign();
      const runs = page.getByRole('table', { name: 'Runs of the key' });
      await runs.getByRole('link', { name: 'Sign' }).waitFor();
      expect(await runs.getByRole('row').count()).toBe(2);
      await page
        .getByRole('figure', { name: /1 run succeeded and 0 runs failed in the last 24 hours/ })
        .waitFor();
      await page.getByRole('figure', { name: /\$0\.0\d+ spent/ }).waitFor();
      await page.getByText('No run failed in this period.').waitFor();
      await sign('Log in with the wallet');
      const table = page.getByRole('table', { name: 'Triggers' });
      await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(['of the key']);
      const facts = page.getByRole('table', { name: 'Permissions of the key' });
      await facts.getByRole('link', { name: 'Payments' }).waitFor();
      if (mode === 'api') await facts.getByText(/^\$0\.\d+ in the last 24 hours$/).waitFor();
      await expectAccessible(page);
      await expectFits(page);
      await page.getByRole('link', { name: 'of the key' }).click();
      await page.getByRole('table', { name: 'Action' }).getByRole('link', { name: 'Server' }).click();
      await page.getByRole('link', { name: 'All runs of this key' }).click();
      await page.getByRole('table', { name: 'Runs' }).waitFor();
      expect(new URL(page.url()).searchParams.get('key')).toBe(hex(apiKeyHash(usageKey)));
    },
  );
});
