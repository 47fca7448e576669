import { accountConfigAbi, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { useQuery } from '@tanstack/react-query';
import type { Address } from 'viem';
import { useConfig } from 'wagmi';
import { readContract } from 'wagmi/actions';
import { toWord } from '../../names.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';

export type AccountOnChain = {
  /** Master hash, which names the account on the chain. Without a node to ask: the hash of the key or wallet. */
  masterHash: bigint;
  /** ChainSecured mode: the admin wallet. */
  adminWallet?: Address | undefined;
  name?: string | undefined;
  chainName: string;
  chainId: number;
  contractAddress: Address;
};

/** Returns the name, which only the indexer has; undefined when it does not answer. */
async function nameAt(indexerUrl: string | undefined, masterHash: bigint): Promise<string | undefined> {
  if (indexerUrl === undefined) return undefined;
  const response = await fetch(new URL(`/accounts/${toWord(masterHash)}`, indexerUrl)).catch(() => undefined);
  if (!response?.ok) return undefined;
  return ((await response.json()) as { name?: string }).name;
}

/** The account that is signed in, as the chain has it. */
export function useAccountOnChain() {
  const session = useSession();
  const { rpcUrl, indexerUrl } = useSessionState().config;
  const wagmi = useConfig();
  return useQuery({
    queryKey: ['account', 'chain'],
    queryFn: async (): Promise<AccountOnChain> => {
      const { chainName, chainId, contractAddress } = await session.client.getNodeChainConfig();
      const own = session.mode === 'api' ? apiKeyHash(session.accountKey) : walletIdentity(session.address);
      const masterHash =
        rpcUrl === undefined
          ? own
          : (
              await readContract(wagmi, {
                address: contractAddress,
                abi: accountConfigAbi,
                functionName: 'resolve',
                args: [own],
              })
            )[0];
      return {
        masterHash,
        adminWallet: session.mode === 'chainSecured' ? session.address : undefined,
        name: await nameAt(indexerUrl, masterHash),
        chainName,
        chainId,
        contractAddress,
      };
    },
  });
}
