/** Accounts of tests in both modes, and the dashboard signed in to them. */
import {
  type ApiClient,
  type ChainSecuredClient,
  createClient,
  createTriggersClient,
  logInToTriggers,
} from '@latchkey/sdk';
import { cidOfCode, newAccount, payAndConfirm, stack } from '@latchkey/testing/stack';
import { type AdminWallet, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import type { Page } from 'playwright-core';
import { createWalletClient, custom } from 'viem';
import { foundry } from 'viem/chains';
import { expect } from 'vitest';
import {
  createTestWallet,
  installWallet,
  type Options,
  openDashboard,
  signIn,
  type TestWallet,
} from './browser.ts';

export const modes = ['api', 'chainSecured'] as const;
export type Mode = (typeof modes)[number];

/** An account of either mode, and the client of its account key or its admin wallet. */
export type TestAccount =
  | { mode: 'api'; key: string; hash: bigint; client: ApiClient }
  | { mode: 'chainSecured'; wallet: TestWallet; client: ChainSecuredClient };

export async function newAccountIn(mode: Mode): Promise<TestAccount> {
  return mode === 'api' ? newManagedAccount() : newChainSecuredAccount();
}

export async function newManagedAccount() {
  const { key, hash } = await newAccount();
  return { mode: 'api' as const, key, hash, client: createClient({ url: stack.url, apiKey: key }) };
}

export const walletClientOf = (wallet: TestWallet) =>
  createWalletClient({
    account: wallet.address,
    chain: { ...foundry, id: stack.chainId },
    transport: custom(wallet),
    pollingInterval: 50,
  });

export async function newChainSecuredAccount() {
  const wallet = createTestWallet(await eoa());
  const { url, indexerUrl } = stack;
  const client = createClient({ url, wallet: walletClientOf(wallet), indexerUrl });
  await client.newAccount({ name: 'wallet', description: '' });
  await payAndConfirm(await billingAuth(wallet));
  return { mode: 'chainSecured' as const, wallet, client };
}

/** Adds a usage key whose group permits every action. */
export async function addRunner({ client }: TestAccount): Promise<string> {
  const { groupId } = await client.addGroup({
    name: 'Open',
    description: '',
    cids: [0n],
  });
  return (await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] })).usageKey;
}

/** Code that signs a message with a wallet. */
export const signingCode = `async function main({ pkpId, message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  return wallet.signMessage(message);
}`;

/** Fills an account: the action “Sign”, two wallets, the group “Payments” with the action and one wallet, and a key. */
export async function fillAccount({ client }: TestAccount) {
  const cid = await cidOfCode(signingCode);
  const labels = { name: 'test', description: '' };
  const { walletAddress: used } = await client.createWallet(labels);
  const { walletAddress: other } = await client.createWallet(labels);
  await client.addAction({ cid, name: 'Sign', description: 'Signs a message' });
  const { groupId } = await client.addGroup({
    name: 'Payments',
    description: 'Pays invoices',
    cids: [cid],
    pkpIds: [used],
  });
  const key = { name: 'Server', executeInGroups: [groupId] };
  const { usageKey } = await (client.mode === 'api'
    ? client.addUsageApiKey({ ...key, maxConcurrency: 2 })
    : client.addUsageApiKey(key));
  return { usageKey, cid, used, other };
}

/** Returns a client of the trigger service, logged in. */
export async function triggersOf(account: TestAccount) {
  const url = stack.triggersUrl;
  const { token } = await logInToTriggers(
    account.mode === 'api'
      ? { url, accountKey: account.key }
      : { url, wallet: walletClientOf(account.wallet) },
  );
  return createTriggersClient({ url, token });
}

/** Runs code and returns the id of the run. */
export async function runCode(usageKey: string, code: string): Promise<string> {
  return (await createClient({ url: stack.url, apiKey: usageKey }).runAction({ code })).runId;
}

/** Opens a page of the dashboard, signed in to an account. */
export async function openSignedIn(account: TestAccount, options?: Options) {
  const { mode } = account;
  const dashboard = await openDashboard(options);
  const { page, open } = dashboard;
  if (mode === 'chainSecured') await installWallet(page, account.wallet);
  const reopen = async (): Promise<void> => {
    await open();
    await (mode === 'api' ? signIn(page, account.key) : signInWithWallet(page));
  };
  await reopen();
  if (mode === 'chainSecured') account.wallet.asked.length = 0;
  return {
    ...dashboard,
    reopen,
    /** Confirms a write: in the wallet, or in the dialog of an account key, which has this title when it asks. Types the word that it asks for. */
    async confirm(title?: string, word?: string): Promise<void> {
      if (word !== undefined) await page.getByLabel(`Type ${word} to confirm`).last().fill(word);
      if (mode === 'chainSecured') await page.getByRole('button', { name: 'Continue in the wallet' }).click();
      else if (title !== undefined)
        await page.getByRole('dialog', { name: title }).getByRole('button', { name: title }).click();
    },
    /** Signs for runs and credit, or logs in to triggers. No effect in API mode, which needs no signature. */
    async sign(button = 'Sign with the wallet'): Promise<void> {
      if (mode === 'chainSecured') await page.getByRole('button', { name: button }).click();
    },
  };
}

/** Delay of a page's clock at which a signature is valid when it is made, and still valid after `expectUnasked`. */
export const CLOCK_BEHIND_MS = 270_000;

/** Expects that the wallet is not asked when its signature ends and the page is visible again. */
export async function expectUnasked(page: Page, wallet: TestWallet): Promise<void> {
  const before = [...wallet.asked];
  const refresh = async (): Promise<void> => {
    const refreshed = page.waitForResponse(() => true, { timeout: 5_000 });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await refreshed;
  };
  await page.clock.fastForward(240_000);
  // A page that had just read its data reads it again after ten seconds.
  await refresh().catch(async () => {
    await page.clock.fastForward(11_000);
    await refresh();
  });
  expect(wallet.asked).toEqual(before);
}

export async function signInWithWallet(page: Page): Promise<void> {
  await page.getByText('Wallet', { exact: true }).click();
  await page.getByRole('button', { name: 'Test wallet' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Installs a wallet without an account. */
export async function newBrowserWallet(page: Page, admin?: AdminWallet): Promise<TestWallet> {
  const wallet = createTestWallet(admin ?? (await eoa()));
  await installWallet(page, wallet);
  return wallet;
}

export async function openWalletAccount(page: Page, name = 'Mine'): Promise<void> {
  await page.getByLabel('Name', { exact: false }).fill(name);
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.getByRole('button', { name: 'Continue in the wallet' }).click();
  await page.getByRole('heading', { name: 'Open an account for this wallet' }).waitFor({ state: 'detached' });
}
