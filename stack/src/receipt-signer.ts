/** Publishes the signer of receipts in the contract, as the operator of a deployment does once. */
import { accountConfigAbi, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { type Address, createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export async function publishReceiptSigner({
  relayerUrl,
  rpcUrl,
  contract: address,
  ownerKey,
}: {
  relayerUrl: string;
  rpcUrl: string;
  contract: Address;
  ownerKey: Hex;
}): Promise<void> {
  const reply = await fetch(`${relayerUrl}/core/v1/get_svc_action_client_config`);
  const { receipt_signer: signer } = (await reply.json()) as { receipt_signer: Address };
  const account = privateKeyToAccount(ownerKey);
  const client = createWalletClient({ transport: http(rpcUrl), account }).extend(publicActions);
  const configuration = { abi: accountConfigAbi, address } as const;
  const name = RECEIPT_SIGNER_CONFIGURATION;
  const published = await client.readContract({
    ...configuration,
    functionName: 'nodeConfigurationValue',
    args: [name],
  });
  if (published === signer) return;
  const hash = await client.writeContract({
    ...configuration,
    functionName: 'setNodeConfiguration',
    args: [name, signer],
    chain: null,
  });
  await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
}
