import { accountConfigAbi, apiKeyHash } from '@latchkey/protocol';
import { devAccount, type Stack } from '@latchkey/stack';
import { createPublicClient, createWalletClient, encodeFunctionData, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { newGroup } from './client.ts';

/** Funded accounts that the stack does not use. Two senders with one payer would take the same nonces. */
const [senderKey = '0x', ...relayerKeys] = [3, 4, 5, 6, 7].map((index) => devAccount(index).privateKey);

/** An api payer for raw sends, and api payers for a relayer of a benchmark. */
export const payerKeys: { sender: Hex; relayer: Hex[] } = { sender: senderKey, relayer: relayerKeys };

/** Makes the payers above api payers of the contract. */
export async function addPayers({ rpcUrl, contractAddress, ownerKey }: Stack): Promise<void> {
  const shared = { chain: foundry, transport: http(rpcUrl), cacheTime: 0 };
  const client = createPublicClient(shared);
  const owner = createWalletClient({ ...shared, account: privateKeyToAccount(ownerKey) });
  const contract = { address: contractAddress, abi: accountConfigAbi } as const;
  const payers = await client.readContract({ ...contract, functionName: 'api_payers' });
  const added = [senderKey, ...relayerKeys].map((key) => privateKeyToAccount(key).address);
  const hash = await owner.writeContract({
    ...contract,
    functionName: 'setApiPayers',
    args: [[...new Set([...payers, ...added])]],
  });
  await client.waitForTransactionReceipt({ hash, pollingInterval: 10 });
}

/** Calldata of the same write as `add_group` of the account. */
export const newGroupData = (accountKey: string): Hex =>
  encodeFunctionData({
    abi: accountConfigAbi,
    functionName: 'addGroup',
    args: [apiKeyHash(accountKey), newGroup.group_name, newGroup.group_description, [], []],
  });
