/** How a wallet proves itself to the service: a signed envelope of typed data. */
import { buildTypedData, type PrimaryType } from '@latchkey/protocol';
import type { Hex } from 'viem';
import { signTypedData } from 'viem/actions';
import type { BareClient, Wallet } from './bare-client.ts';
import { contractOf, onChain } from './contract.ts';
import type { Deadline } from './deadline.ts';

/** The wire form: an envelope that is good for 300 seconds, and its signature. */
export async function prove(
  client: BareClient,
  wallet: Wallet,
  primaryType: PrimaryType,
  deadline: Deadline,
): Promise<{ typed_data: { [name: string]: unknown }; signature: Hex }> {
  const { chainId } = await contractOf(client, deadline);
  const typedData = buildTypedData({
    primaryType,
    address: wallet.account.address,
    chainId: BigInt(chainId),
    issuedAt: BigInt(Math.floor(Date.now() / 1_000)),
  });
  const signature = await onChain(
    () => signTypedData(wallet, { account: wallet.account, ...typedData } as never),
    deadline,
  );
  const { domain, message } = typedData;
  return {
    typed_data: {
      ...typedData,
      domain: { ...domain, chainId: String(domain.chainId) },
      message: { ...message, issuedAt: String(message.issuedAt) },
    },
    signature,
  };
}
