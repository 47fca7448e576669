/** Opens an account for trying actions. */
import { createClient } from '@latchkey/sdk';

/** The values of the account, by the names under which a shell can keep them. */
export type OpenedAccount = { LATCHKEY_ACCOUNT_KEY: string; LATCHKEY_USAGE_KEY: string; PKP_ID: string };

/** Opens a managed account with a wallet and a usage key that is permitted to use it in every action. */
export async function openAccount(url: string): Promise<OpenedAccount> {
  const labels = { name: 'latchkey action', description: '' };
  const account = await createClient({ url }).newAccount({
    name: labels.name,
    description: labels.description,
  });
  const client = createClient({ url, apiKey: account.apiKey });
  const { walletAddress } = await client.createWallet(labels);
  const { groupId } = await client.addGroup({
    name: labels.name,
    description: labels.description,
    pkpIds: [walletAddress],
    cids: [0n],
  });
  const { usageKey } = await client.addUsageApiKey({ ...labels, executeInGroups: [groupId] });
  return { LATCHKEY_ACCOUNT_KEY: account.apiKey, LATCHKEY_USAGE_KEY: usageKey, PKP_ID: walletAddress };
}
