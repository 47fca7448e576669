/** Accounts of tests: with an account key, and owned by a wallet. */
import { cidHash } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import {
  addUsageKey,
  cidOfCode,
  createWallet,
  expectWritten,
  hex,
  newAccount,
  post,
  stack,
  testClient,
} from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { createWalletClient, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

/** Code that signs a message with a wallet. */
export const signingCode = `async function main({ pkpId, message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  return wallet.signMessage(message);
}`;

/** A managed account with the action “Sign”, two wallets, the group “Payments” with the action and one wallet, and a key. */
export async function newFilledAccount() {
  const { key } = await newAccount();
  const cid = await cidOfCode(signingCode);
  const [used, other] = [await createWallet(key), await createWallet(key)];
  expectWritten(
    await post('add_action', { action_ipfs_cid: cid, name: 'Sign', description: 'Signs a message' }, key),
  );
  const group = {
    group_name: 'Payments',
    group_description: 'Pays invoices',
    cid_hashes_permitted: [hex(cidHash(cid))],
    pkp_ids_permitted: [used],
  };
  expectWritten(await post('add_group', group, key), {});
  const usageKey = await addUsageKey(key, { name: 'Server', execute_in_groups: ['1'], max_concurrency: 2 });
  return { key, usageKey, cid, used, other };
}

/** A ChainSecured account with an empty wallet of its own, and the client of its admin wallet. */
export async function newChainSecuredAccount() {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  await testClient.setBalance({ address: account.address, value: parseEther('10') });
  const chain = { ...foundry, id: stack.chainId };
  const wallet = createWalletClient({
    account,
    chain,
    transport: http(stack.rpcUrl),
    pollingInterval: 50,
  });
  const client = createClient({ url: stack.url, wallet, indexerUrl: stack.indexerUrl });
  await client.newAccount({ accountName: 'wallet', accountDescription: '' });
  return { privateKey, client };
}

/** Signs in with the installed wallet. */
export async function signInWithWallet(page: Page): Promise<void> {
  await page.getByText('Wallet', { exact: true }).click();
  await page.getByRole('button', { name: 'Test wallet' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
