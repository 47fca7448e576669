import { accountConfigAbi, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { useQuery } from '@tanstack/react-query';
import type { Address } from 'viem';
import { useConfig, type Config as WagmiConfig } from 'wagmi';
import { readContract } from 'wagmi/actions';
import { toWord } from '../../names.ts';
import type { ApiSession, Session } from '../../session/session.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';

export type AccountOnChain = {
  /** Master hash, which names the account on the chain also after its key was replaced. */
  masterHash: bigint;
  /** ChainSecured mode: the admin wallet. */
  adminWallet?: Address | undefined;
  /** Undefined without an indexer, or while it does not answer. */
  name?: string | undefined;
  chainName: string;
  chainId: number;
  contractAddress: Address;
};

/** The indexer knows an account whose key was replaced by its current key only. */
async function nameOf(session: Session, indexerUrl: string | undefined): Promise<string | undefined> {
  if (indexerUrl === undefined) return undefined;
  const own = session.mode === 'api' ? apiKeyHash(session.accountKey) : walletIdentity(session.address);
  const response = await fetch(new URL(`/accounts/${toWord(own)}`, indexerUrl)).catch(() => undefined);
  if (!response?.ok) return undefined;
  return ((await response.json()) as { name?: string }).name;
}

/** Without a node to ask, the relayer names the account. The hash of the key is another one after a replacement. */
async function masterHashOf(
  { accountKey, client }: ApiSession,
  wagmi: WagmiConfig,
  node: { address: Address } | undefined,
): Promise<bigint> {
  if (!node) return BigInt((await client.exportAccount()).account.api_key_hash);
  const { address } = node;
  const args = [apiKeyHash(accountKey)] as const;
  const [hash] = await readContract(wagmi, { address, abi: accountConfigAbi, functionName: 'resolve', args });
  return hash;
}

/** The indexer is behind the chain, after a conversion for example. */
const NAME_RETRY_MS = 2_000;

/** The account that is signed in, as the chain has it. */
export function useAccountOnChain() {
  const session = useSession();
  const { rpcUrl, indexerUrl } = useSessionState().config;
  const wagmi = useConfig();
  return useQuery({
    queryKey: ['account', 'chain'],
    refetchInterval: ({ state: { data } }) =>
      indexerUrl !== undefined && data !== undefined && data.name === undefined && NAME_RETRY_MS,
    queryFn: async (): Promise<AccountOnChain> => {
      const { chainName, chainId, contractAddress } = await session.client.getNodeChainConfig();
      const node = rpcUrl === undefined ? undefined : { address: contractAddress };
      const masterHash =
        session.mode === 'api'
          ? await masterHashOf(session, wagmi, node)
          : (await session.client.accountState()).accountHash;
      return {
        masterHash,
        adminWallet: session.mode === 'chainSecured' ? session.address : undefined,
        name: await nameOf(session, indexerUrl),
        chainName,
        chainId,
        contractAddress,
      };
    },
  });
}
