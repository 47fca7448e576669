import { readFile } from 'node:fs/promises';
import { walletIdentity } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { get, newAccount, read } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  newBrowserWallet,
  newChainSecuredAccount,
  newManagedAccount,
  openSignedIn,
  openWalletAccount,
  runCode,
  signInWithWallet,
} from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

describe.runIf(hasChromium)('settings', () => {
  useChromium();

  test('exports the account without secrets, replaces its key, and retires it', async () => {
    const account = await newManagedAccount();
    const { key, hash } = account;
    const usageKey = await addRunner(account);
    const runId = await runCode(usageKey, 'function main() { return 1 }');
    await using dashboard = await openDashboard({ path: '/settings' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('table', { name: 'Account' }).getByText('Managed').waitFor();
    await expectAccessible(page);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the export' }).click(),
    ]);
    const text = await readFile(await saved.path(), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      account: { mode: 'api', masterHash: `0x${hash.toString(16).padStart(64, '0')}` },
      usageKeys: [{ name: 'Server' }],
      groups: [{ groupId: '1' }],
      runs: [{ id: runId }],
    });
    for (const secret of [key, usageKey]) expect(text).not.toContain(secret);

    await page.getByRole('button', { name: 'Replace the account key' }).click();
    const newKey = await page.getByLabel('New account key', { exact: true }).inputValue();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page
      .getByRole('dialog', { name: 'Replace the account key' })
      .last()
      .getByRole('button', { name: 'Replace the account key' })
      .click();
    await page.getByText('The account key was replaced.').waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).waitFor({ state: 'detached' });
    expect((await get('list_groups', key)).status).toBe(401);
    expect((await get('list_groups', newKey)).status).toBe(200);

    await page.setViewportSize({ width: 375, height: 700 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectFits(page);
    await expectAccessible(page);
    const retire = page.getByRole('button', { name: 'Retire the account' });
    expect(await retire.isDisabled()).toBe(true);
    await page.getByLabel('Type retire to confirm').fill('retire');
    await retire.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retire the account' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect((await get('list_groups', newKey)).status).toBe(401);
  });

  test('converts the account, and continues as a session of the wallet', async () => {
    const { key, hash } = await newAccount();
    await using dashboard = await openDashboard({ path: '/settings' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    await open();
    await signIn(page, key);
    await page.getByRole('button', { name: 'Convert the account' }).click();
    await page.getByRole('heading', { name: 'What ends' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Choose the wallet' }).click();
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText(wallet.address).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign and convert' }).click();
    await page.getByRole('button', { name: 'Convert the account' }).last().click();
    await page.getByRole('table', { name: 'Account' }).getByText('ChainSecured').waitFor();
    expect(wallet.asked).toEqual(['eth_signTypedData_v4']);
    expect(await read('resolve', [hash])).toMatchObject([hash, wallet.address, false, false, 0n]);
    await page.getByRole('button', { name: 'Transfer the account' }).waitFor();
  });

  test('transfers a ChainSecured account, without its usage keys', async () => {
    const account = await newChainSecuredAccount();
    const { client, wallet } = account;
    await client.addUsageApiKey({ name: 'Server' });
    await using dashboard = await openSignedIn(account, { path: '/settings' });
    const { page, confirm } = dashboard;
    await page.getByText('The account has 1.').waitFor();
    await page.getByRole('button', { name: 'Remove all usage keys' }).click();
    await confirm('Remove all usage keys', 'remove');
    await page.getByText('The account has none now.').waitFor();
    expect((await client.listApiKeys()).items).toEqual([]);
    const next = '0x000000000000000000000000000000000000bEEF';
    await page.getByLabel('Address of the new admin wallet').fill('0x12');
    await page.getByText('An address is 0x and 40 hex digits.').waitFor();
    await page.getByLabel('Address of the new admin wallet').fill(next);
    await expectAccessible(page);
    // A transaction that was sent is not offered again: a second one could repeat its change.
    wallet.gas = 30_000n;
    await page.setViewportSize({ width: 375, height: 700 });
    await page.getByRole('button', { name: 'Transfer the account' }).click();
    const after = page.getByRole('table', { name: 'Before and after' }).getByText(next);
    const { x, width } = (await after.boundingBox()) ?? { x: 0, width: 0 };
    expect(x + width).toBeLessThanOrEqual(375);
    expect(await after.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await confirm();
    await page.getByText('This transaction was sent').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    wallet.gas = undefined;
    await page.getByRole('button', { name: 'Transfer the account' }).click();
    await confirm();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const hash = walletIdentity(wallet.address);
    expect(await read('accountState', [hash])).toMatchObject({ adminWalletAddress: next, accepted: false });
    // The wallet that transferred the account takes it back, here because the address was wrong.
    await signInWithWallet(page);
    await page.getByText('Until the new wallet accepts it, you can take it back').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Take the account back' }).click();
    await confirm();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await read('accountState', [hash])).toMatchObject({
      adminWalletAddress: wallet.address,
      accepted: true,
    });
  });

  test('shows the new wallet an account that waits for it, and no page of it before the wallet accepts', async () => {
    await using dashboard = await openDashboard({ path: '/billing' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    const newAdminWalletAddress = wallet.address;
    const refused = await newChainSecuredAccount();
    await refused.client.transferOwnership({ newAdminWalletAddress });
    await open();
    await signInWithWallet(page);
    await page.getByRole('heading', { name: 'An account waits for this wallet' }).waitFor();
    await expectAccessible(page);
    for (const path of ['Triggers', 'Settings', 'Billing']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: path }).click();
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([
        'An account waits for this wallet',
      ]);
    }
    expect(wallet.asked).not.toContain('eth_signTypedData_v4');
    await page.getByRole('button', { name: 'Refuse the account' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('heading', { name: 'Open an account for this wallet' }).waitFor();
    const [, giver] = await read('resolve', [walletIdentity(refused.wallet.address)]);
    expect(giver).toBe(refused.wallet.address);

    const given = await newChainSecuredAccount();
    await given.client.transferOwnership({ newAdminWalletAddress });
    await open();
    await signInWithWallet(page);
    await page.getByRole('button', { name: 'Accept the account' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('heading', { name: 'Billing' }).waitFor();
    const [accepted] = await read('resolve', [walletIdentity(wallet.address)]);
    expect(accepted).toBe(walletIdentity(given.wallet.address));
  });

  test('exports and retires a ChainSecured account, with one signature and one transaction', async () => {
    await using dashboard = await openDashboard({ path: '/settings' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    await open();
    await signInWithWallet(page);
    await openWalletAccount(page);
    wallet.asked.length = 0;
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the export' }).click(),
    ]);
    expect(JSON.parse(await readFile(await saved.path(), 'utf8'))).toMatchObject({
      account: { mode: 'chainSecured', adminWallet: wallet.address },
      runs: [],
    });
    await page.getByLabel('Type retire to confirm').fill('retire');
    await page.getByRole('button', { name: 'Retire the account' }).click();
    await page.getByRole('button', { name: 'Continue in the wallet' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    expect(await read('accountExistsAndIsMutable', [walletIdentity(wallet.address)])).toBe(false);
  });
});
