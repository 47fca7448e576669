import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';

import { modes, newAccountIn, openSignedIn, type TestAccount } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

const FIRST = 'first-value-4f1c';
const SECOND = 'second-value-9ab2';
const CODE = `async function main() { return (await Svc.Actions.getSecret('API_KEY')).split('').reverse().join('') }`;
/** The page can check no wallet. */
const config = { contractAddress: undefined };
const reversed = (text: string): string => [...text].reverse().join('');

/** Everything that the page sends. Returns the function that reads it. */
function recordRequests(page: Page): () => string {
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  return () => sent.join('\n');
}

/** The document with its fields, the URL, and the storage of the browser. */
const keptBy = (page: Page): Promise<string> =>
  page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
      location.href,
      JSON.stringify(history.state),
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      document.cookie,
    ].join('\n'),
  );

async function run({ client }: TestAccount, groupId: bigint): Promise<unknown> {
  const { usageKey } = await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] });
  const ran = await createClient({ url: stack.url, apiKey: usageKey }).runAction({ code: CODE });
  await client.removeUsageApiKey({ usageKey });
  return ran.response;
}

describe.runIf(hasChromium)('secrets', () => {
  useChromium();

  test.each(modes)(
    'one is set, read, rotated, recorded and deleted, and its value is nowhere: %s',
    async (mode) => {
      const account = await newAccountIn(mode);
      const { client } = account;
      const { groupId } = await client.addGroup({ name: 'Readers', description: '', cids: [0n] });
      await using dashboard = await openSignedIn(account, { path: '/secrets', width: 375 });
      const { page, sign, confirm } = dashboard;
      const sent = recordRequests(page);
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const value = () => page.getByRole('textbox', { name: 'Value' });
      await sign();
      await page.getByText('No secrets yet').waitFor();
      await expectAccessible(page);
      await expectFits(page);

      await button('New secret').click();
      await page.getByRole('textbox', { name: 'Name' }).fill('API_KEY');
      await value().fill(FIRST);
      await expectAccessible(page);
      await button('Set the secret').click();
      await confirm();
      await page.getByRole('rowheader', { name: 'API_KEY' }).waitFor();
      await page.getByText('No group').waitFor();
      expect(await keptBy(page)).not.toContain(FIRST);

      await button('Groups of API_KEY').click();
      await page.getByRole('combobox', { name: 'Another group' }).click();
      await page.getByRole('option', { name: 'Readers' }).click();
      await button('Add to the group').click();
      await confirm();
      await page.getByText('The group has the wallet.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('table', { name: 'Secrets' }).getByText('Readers').waitFor();
      await expectAccessible(page);
      await expectFits(page);
      expect(await run(account, groupId)).toBe(reversed(FIRST));

      await button('Rotate API_KEY').click();
      await page.getByText('Groups that may read it: Readers. Its private key is not exportable.').waitFor();
      await expectAccessible(page);
      await value().fill(SECOND);
      await button('Set the new value').click();
      await page.getByText('and 1 earlier').waitFor();
      expect(await run(account, groupId)).toBe(reversed(SECOND));
      const [newest, oldest] = await client.listSecrets();
      expect([newest?.walletAddress, newest?.walletPublicKey]).toEqual([
        oldest?.walletAddress,
        oldest?.walletPublicKey,
      ]);

      await button('Versions of API_KEY').click();
      await expectAccessible(page);
      await button(`Delete version ${oldest?.version}`).click();
      await button('Delete the version').click();
      await expect.poll(async () => (await client.listSecrets()).length).toBe(1);
      await page.keyboard.press('Escape');

      await button('Record of API_KEY').click();
      const record = page.getByRole('table', { name: 'Record' });
      await record.getByText('Read').first().waitFor();
      expect(await record.getByText('Set', { exact: true }).count()).toBe(2);
      expect(await record.getByText('Deleted').count()).toBe(1);
      await expectAccessible(page);
      await page.keyboard.press('Escape');

      await button('Delete API_KEY').click();
      expect(await button('Delete the secret').isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: 'Type API_KEY to confirm' }).fill('API_KEY');
      await button('Delete the secret').click();
      await page.getByText('No secrets yet').waitFor();
      expect(await client.listSecrets()).toEqual([]);
      const kept = await keptBy(page);
      for (const text of [FIRST, SECOND]) {
        expect(kept).not.toContain(text);
        expect(sent()).not.toContain(text);
      }
      expect(sent()).toContain('/core/v1/set_secret');
    },
  );

  test('a wallet whose public key is not known needs it, and no other', async () => {
    const account = await newAccountIn('api');
    const { client } = account;
    const first = await client.createWallet({ name: 'First', exportable: false });
    const second = await client.createWallet({ name: 'Second', exportable: false });
    await using dashboard = await openSignedIn(account, { path: '/secrets' });
    const { page } = dashboard;
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('A');
    await page.getByRole('textbox', { name: 'Value' }).fill('a value');
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: 'First' }).click();
    const publicKey = page.getByRole('textbox', { name: 'Public key of the wallet' });
    await publicKey.fill(second.publicKey ?? '');
    await page.getByRole('button', { name: 'Set the secret' }).click();
    await page.getByText('This is the public key of another wallet.').waitFor();
    expect(await client.listSecrets()).toEqual([]);
    await publicKey.fill(first.publicKey ?? '');
    await page.getByRole('button', { name: 'Set the secret' }).click();
    await page.getByRole('rowheader', { name: 'A', exact: true }).waitFor();
    expect(await client.listSecrets()).toMatchObject([
      { name: 'A', walletPublicKey: first.publicKey?.toLowerCase() },
    ]);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('A');
    await page.getByRole('textbox', { name: 'Value' }).fill('another value');
    await page.getByRole('button', { name: 'Set the secret' }).click();
    await page.getByText('The account has a secret A.').waitFor();
  });

  test('a page without a contract of its own takes no public key and no wallet from the relayer', async () => {
    const account = await newAccountIn('api');
    const { client } = account;
    const own = await client.createWallet({ name: 'Own', exportable: false });
    await client.setSecret({ name: 'A', value: FIRST, walletPublicKey: own.publicKey as Hex });
    const { publicKey, address } = privateKeyToAccount(generatePrivateKey());
    await using dashboard = await openSignedIn(account, { config });
    const { page } = dashboard;
    // The relayer lists a wallet of which it has the key.
    await page.route('**/list_secrets', async (route) => {
      const response = await route.fetch();
      const [newest] = (await response.json()) as object[];
      const named = { wallet_address: address, wallet_public_key: publicKey, version: Date.now() };
      await route.fulfill({ response, json: [{ ...newest, ...named }, newest] });
    });
    const sent = recordRequests(page);
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('button', { name: 'Rotate A' }).click();
    await page.getByText('This page has no contract and node of its own').waitFor();
    await page.getByText(`The account has no wallet ${address}.`).waitFor();
    await page.getByText(/^Version \d+ has another wallet: Own\.$/).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Value' }).fill(SECOND);
    const keyField = page.getByRole('textbox', { name: 'Public key of the wallet' });
    const set = page.getByRole('button', { name: 'Set the new value' });
    await set.click();
    expect(await keyField.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
    await keyField.fill(own.publicKey ?? '');
    await set.click();
    await page.getByText('This is the public key of another wallet.').waitFor();
    expect(sent()).not.toContain('/core/v1/set_secret');
    // The wallet of the version before.
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: 'Own' }).click();
    await set.click();
    await set.waitFor({ state: 'detached' });
    const versions = await client.listSecrets();
    expect(versions.map(({ walletAddress }) => walletAddress)).toEqual([
      own.walletAddress,
      own.walletAddress,
    ]);
  });

  test('a change of the wallet at a rotation is visible, with the groups and whether the key can be taken', async () => {
    const account = await newAccountIn('api');
    const { client } = account;
    const own = await client.createWallet({ name: 'Own', exportable: false });
    const other = await client.createWallet({ name: 'Other' });
    const pkpIds = [other.walletAddress];
    await client.addGroup({ name: 'Wide', description: '', cids: [0n], pkpIds });
    await client.setSecret({ name: 'A', value: FIRST, walletPublicKey: own.publicKey as Hex });
    await using dashboard = await openSignedIn(account, { path: '/secrets' });
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Rotate A' }).click();
    await page.getByText('Groups that may read it: none. Its private key is not exportable.').waitFor();
    expect(await page.getByText('has another wallet').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Public key of the wallet' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: 'Other' }).click();
    await page.getByText('Groups that may read it: Wide. Its private key is exportable').waitFor();
    await page.getByText(/^Version \d+ has another wallet: Own\.$/).waitFor();
  });

  test('a page without a contract of its own shows the public key of a new wallet before it sets the secret', async () => {
    const account = await newAccountIn('api');
    await using dashboard = await openSignedIn(account, { path: '/secrets', config });
    const { page } = dashboard;
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('A');
    await page.getByRole('textbox', { name: 'Value' }).fill(FIRST);
    await page.getByRole('button', { name: 'Set the secret' }).click();
    const publicKey = page.getByRole('textbox', { name: 'Public key of the wallet' });
    await expect.poll(() => publicKey.inputValue().catch(() => '')).toMatch(/^0x04/);
    expect(await account.client.listSecrets()).toEqual([]);
    await page.getByRole('button', { name: 'Set the secret' }).click();
    await page.getByRole('rowheader', { name: 'A', exact: true }).waitFor();
  });
});
