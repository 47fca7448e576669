/** Opens an account for trying actions. */
import { createClient } from '@latchkey/sdk';

/** Opens a managed account with a wallet and a usage key that is permitted to use it in every action. */
export async function openAccount(url: string): Promise<{ usageKey: string; pkpId: string }> {
  const labels = { name: 'latchkey actions', description: '' };
  const account = await createClient({ url }).newAccount(labels);
  const client = createClient({ url, apiKey: account.apiKey });
  const { walletAddress } = await client.createWallet(labels);
  const { groupId } = await client.addGroup({ ...labels, pkpIds: [walletAddress], cids: [0n] });
  const { usageKey } = await client.addUsageApiKey({ ...labels, executeInGroups: [groupId] });
  return { usageKey, pkpId: walletAddress };
}
