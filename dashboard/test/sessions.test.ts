/** Sessions that end or change outside of their page: in the wallet, in another tab, on the chain, at a deployment. */
import { hasChromium } from '@latchkey/testing/chromium';
import { newKeyText, stack } from '@latchkey/testing/stack';
import { eoa } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { newChainSecuredAccount, newManagedAccount, openSignedIn } from './accounts.ts';
import {
  createTestWallet,
  emitWalletEvent,
  expectAccessible,
  hasInHeap,
  signIn,
  useChromium,
} from './browser.ts';

/** For tests that read the heap, which takes long on a busy machine. */
const SNAPSHOTS_MS = 300_000;

describe.runIf(hasChromium)('sessions', () => {
  useChromium();

  test(
    'a sign-out reaches the other tabs of the account only, and leaves no key in the memory of a page',
    async () => {
      const [account, other] = await Promise.all([newManagedAccount(), newManagedAccount()]);
      await using dashboard = await openSignedIn(account);
      const { page } = dashboard;
      const [second, third] = await Promise.all([page.context().newPage(), page.context().newPage()]);
      await second.goto(stack.dashboardUrl);
      await signIn(second, account.key);
      await third.goto(stack.dashboardUrl);
      await signIn(third, other.key);
      expect(await hasInHeap(page, account.key)).toBe(true);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await second.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await hasInHeap(page, account.key)).toBe(false);
      expect(await third.getByRole('navigation', { name: 'Pages' }).count()).toBe(1);
    },
    SNAPSHOTS_MS,
  );

  test('a tab that would lose something outlives a sign-out in another tab, says it, and offers to reload', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/keys' });
    const { page } = dashboard;
    await page.getByRole('main').getByRole('button', { name: 'New usage key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Server');
    await page.getByRole('button', { name: 'Create the usage key' }).click();
    const shown = page.getByRole('textbox', { name: 'Usage key' });
    const usageKey = await shown.inputValue();
    const second = await page.context().newPage();
    await second.goto(stack.dashboardUrl);
    await signIn(second, account.key);
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.getByRole('button', { name: 'Sign in' }).waitFor();
    const notice = page.getByRole('alert').filter({ hasText: 'The account was signed out in another tab' });
    await notice.waitFor();
    expect(await shown.inputValue()).toBe(usageKey);
    await signIn(second, account.key);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await expectAccessible(page);
    await notice.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await second.getByRole('navigation', { name: 'Pages' }).count()).toBe(1);
  });

  test('a key that was replaced elsewhere: the page says it, keeps what was entered, and offers to sign in', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    await page.getByRole('main').getByRole('button', { name: 'New group' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Payments');
    const second = await page.context().newPage();
    await second.goto(stack.dashboardUrl);
    await signIn(second, account.key);
    const newApiKey = newKeyText();
    await account.client.rotateAccountKey({ newApiKey });
    await page.getByRole('button', { name: 'Create the group' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'The account key is no longer valid' });
    await notice.waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Payments');
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await notice.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(page, newApiKey);
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    expect(await second.getByRole('navigation', { name: 'Pages' }).count()).toBe(1);
  });

  test('an unknown usage key does not end the session', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/actions/new' });
    const { page } = dashboard;
    await page.locator('input[type=password]').fill(newKeyText());
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('link', { name: 'Groups' }).click();
    await page
      .getByRole('heading', { name: 'Leave the page?' })
      .or(page.getByText('No groups yet'))
      .waitFor();
    expect(await page.getByText('The account key is no longer valid').count()).toBe(0);
  });

  test('the wallet changes its account, and is disconnected', async () => {
    const account = await newChainSecuredAccount();
    const { wallet } = account;
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    const next = createTestWallet(await eoa());
    await emitWalletEvent(page, 'accountsChanged', [next.address]);
    const changed = page.getByRole('alert').filter({ hasText: 'The wallet uses another account now' });
    await changed.waitFor();
    await expectAccessible(page);
    await emitWalletEvent(page, 'accountsChanged', [wallet.address]);
    await changed.waitFor({ state: 'detached' });
    await emitWalletEvent(page, 'chainChanged', '0x1');
    const other = page.getByRole('alert').filter({ hasText: 'The wallet uses another chain now' });
    wallet.request = async () => {
      throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
    };
    await other.getByRole('button', { name: /^Change to / }).click();
    await other
      .getByText(/rejected/i)
      .first()
      .waitFor();
    await emitWalletEvent(page, 'chainChanged', `0x${stack.chainId.toString(16)}`);
    wallet.request = next.request;
    await emitWalletEvent(page, 'accountsChanged', [next.address]);
    await page.getByRole('button', { name: 'Continue with the other account' }).click();
    await page.getByRole('heading', { name: 'Open an account for this wallet' }).waitFor();
    await emitWalletEvent(page, 'accountsChanged', []);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('a page whose file is gone after a deployment does not end the session', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount());
    const { page, faults } = dashboard;
    await page.route(/\/assets\/agents-.*\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('This page was not loaded').waitFor();
    await expectAccessible(page);
    await page.unroute(/\/assets\/agents-.*\.js$/);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    // React logs the error of the page.
    faults.length = 0;
  });
});
