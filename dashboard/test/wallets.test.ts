import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { cidOfCode, stack, testClient } from '@latchkey/testing/stack';
import { parseEther } from 'viem';
import { describe, expect, test } from 'vitest';
import { modes, newAccountIn, newManagedAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

const code = `const main = ({ pkpId }) => Svc.Actions.sendTransaction({
  pkpId, chainId: ${stack.chainId}, to: '0x000000000000000000000000000000000000dEaD', value: '7', data: '0xabcd',
});`;

/** A name with markup and a character that turns the text after it. */
const NAME = '<b>Treasury</b> \u202egpj';
const SHOWN_NAME = NAME.replace('\u202e', '\ufffd');

describe.runIf(hasChromium)('wallets', () => {
  useChromium();

  test.each(modes)('are created, copied, added to a group and removed from it: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    await client.addGroup({ name: 'Payments', description: '' });
    const options = { width: 375, colorScheme: 'dark', path: '/wallets' } as const;
    await using dashboard = await openSignedIn(account, options);
    const { page, confirm } = dashboard;
    await page.getByRole('heading', { name: 'No wallets yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('button', { name: 'New wallet' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Treasury');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await confirm();
    const row = page.getByRole('row', { name: /^Treasury/ });
    await row.waitFor();
    // The relayer mints the wallet for the signature of its admin, who registers it.
    if (account.mode === 'chainSecured')
      expect(account.wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    const [wallet] = (await client.listWallets()).items;
    expect(wallet?.name).toBe('Treasury');
    await row.getByRole('button', { name: 'Copy the address' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wallet?.walletAddress);
    await expectAccessible(page);
    await expectFits(page);

    const members = async () => (await client.listGroups()).items[0]?.pkpIds;
    await page.getByRole('link', { name: 'Treasury' }).click();
    await page.getByRole('heading', { name: 'Treasury' }).waitFor();
    await page.getByText('No group has this wallet yet.').waitFor();
    await page.getByRole('combobox', { name: 'Another group' }).click();
    await page.getByRole('option', { name: /^Payments/ }).click();
    await page.getByRole('button', { name: 'Add to the group' }).click();
    await confirm();
    await page.getByRole('table', { name: 'Groups of the wallet' }).getByText('Payments').waitFor();
    await expectAccessible(page);
    expect(await members()).toEqual([wallet?.walletAddress]);
    await page.getByRole('button', { name: 'Remove it from Payments' }).click();
    await confirm('Remove from the group');
    await page.getByText('No group has this wallet yet.').waitFor();
    expect(await members()).toEqual([]);

    if (account.mode === 'chainSecured')
      await page.getByRole('button', { name: 'Sign with the wallet' }).click();
    const releases = page.getByRole('table', { name: 'Key releases' });
    await releases.getByText('Wallet made').waitFor();
    await releases.getByText('Address signed').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('have a page each: balance, users, transactions and key releases, which link to theirs', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const cid = await cidOfCode(code);
    const { walletAddress } = await client.createWallet({ name: NAME, description: 'Pays invoices' });
    await client.addAction({ cid, name: 'Pay', description: '' });
    const { groupId } = await client.addGroup({
      name: 'Payments',
      description: '',
      cids: [cid],
      pkpIds: [walletAddress],
    });
    const { usageKey } = await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] });
    await client.addUsageApiKey({ name: 'Outsider', executeInGroups: [] });
    await testClient.setBalance({ address: walletAddress, value: parseEther('2') });
    const runner = createClient({ url: stack.url, apiKey: usageKey });
    const { runId, hasError } = await runner.runAction({ code, jsParams: { pkpId: walletAddress } });
    expect(hasError).toBe(false);
    const newest = async () => (await client.listTransactions()).items[0];
    await expect.poll(async () => (await newest())?.blockNumber).toBeDefined();
    const sent = await newest();

    await using dashboard = await openSignedIn(account, { path: '/wallets' });
    const { page } = dashboard;
    await page.route(/\/core\/v1\/transactions/, async (route) => {
      const response = await route.fetch();
      const withExplorer = (item: { hash: string }) => ({
        ...item,
        explorer_url: `https://explorer.example/tx/${item.hash}`,
      });
      const reply = await response.json();
      await route.fulfill({
        response,
        json: Array.isArray(reply) ? reply.map(withExplorer) : withExplorer(reply),
      });
    });
    await page.getByRole('link', { name: SHOWN_NAME }).click();
    await page.getByRole('heading', { name: SHOWN_NAME }).waitFor();
    await page
      .getByRole('table', { name: 'Balance' })
      .getByText(/^1\.99\d* ETH$/)
      .waitFor();
    const uses = page.getByRole('table', { name: 'Who can use it' });
    expect(await uses.getByRole('link').allTextContents()).toEqual(['Pay', 'Server']);
    expect(await page.getByRole('link', { name: `Local chain`, exact: true }).getAttribute('href')).toBe(
      `https://explorer.example/address/${walletAddress}`,
    );
    const releases = page.getByRole('table', { name: 'Key releases' });
    await releases
      .getByRole('link', { name: runId.slice(0, 8) })
      .first()
      .waitFor();
    await expectAccessible(page);
    await expectFits(page);

    await page.getByRole('table', { name: 'Transactions' }).getByRole('row').nth(1).getByRole('link').click();
    const facts = page.getByRole('table', { name: 'Transaction', exact: true });
    await facts
      .getByTitle(sent?.hash ?? '', { exact: true })
      .first()
      .waitFor();
    expect(await facts.getByRole('link', { name: SHOWN_NAME }).getAttribute('href')).toBe(
      `/wallets/${walletAddress}`,
    );
    await facts.getByRole('link', { name: 'Pay', exact: true }).waitFor();
    await facts.getByRole('link', { name: 'Server' }).waitFor();
    await page.getByRole('region', { name: 'Calldata' }).last().getByText('0xabcd').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 375, height: 700 });
    await expectAccessible(page);
    await expectFits(page);
    await facts.getByRole('link', { name: runId }).click();
    const record = page.getByRole('table', { name: 'Record' });
    await record.getByRole('link', { name: SHOWN_NAME }).first().click();
    await page.getByRole('heading', { name: SHOWN_NAME }).waitFor();
    await page.goBack();
    await record.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('heading', { name: 'Server' }).waitFor();
    await page
      .getByRole('table', { name: 'Permissions of the key' })
      .getByText(/ in the last 24 hours$/)
      .waitFor();
    const runs = page.getByRole('table', { name: 'Runs of the key' });
    await runs.getByRole('link', { name: 'Pay', exact: true }).waitFor();
    expect(await runs.getByRole('row').count()).toBe(2);
    await runs.getByRole('link', { name: 'Pay', exact: true }).click();
    await page.getByRole('heading', { name: 'Pay', exact: true }).waitFor();

    await using other = await openSignedIn(account, {
      path: `/wallets/${walletAddress}`,
      config: { rpcUrl: undefined },
    });
    await other.page.getByText('Set rpcUrl in config.json to see the balance.').waitFor();
  });

  test('link to explorers over HTTP only', async () => {
    const account = await newManagedAccount();
    const { walletAddress } = await account.client.createWallet({ name: 'Treasury', description: '' });
    await using dashboard = await openSignedIn(account, { path: '/wallets' });
    const { page } = dashboard;
    const id = '00000000-0000-4000-8000-000000000001';
    const hash = `0x${'1'.repeat(64)}`;
    await page.route(/\/core\/v1\/transactions\?/, async (route) => {
      const response = await route.fetch();
      const time = new Date().toISOString();
      const wei = { value: '0', gas: '21000', max_fee_per_gas: '1', max_priority_fee_per_gas: '1' };
      const nothing = { to: null, reason: null, block_number: null, cancel_requested_at: null };
      const of = { run_id: id, cid: 'Qm', usage_key_hash: hash, created_at: time, changed_at: time };
      const sent = {
        id,
        wallet: walletAddress,
        chain_id: 5,
        nonce: 0,
        status: 'queued',
        hash,
        hashes: [hash],
      };
      const explorer_url = `javascript:alert(1)//tx/${hash}`;
      await route.fulfill({ response, json: [{ ...sent, ...wei, ...nothing, ...of, explorer_url }] });
    });
    await page.getByRole('link', { name: 'Treasury' }).click();
    await page.getByText('The wallet in the explorer of').waitFor();
    await page.getByText('Chain 5').first().waitFor();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Chain 5' }).count()).toBe(0);
  });
});
