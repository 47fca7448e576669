/** The chains on which wallets send transactions. */
import { type Chain, connectChain } from '@latchkey/chain/chain';
import { DegradedError } from '@latchkey/service/health';
import type { Logger } from 'pino';
import type { ChainSetting } from '../chains-setting.ts';
import type { Config } from '../config.ts';

type WalletChain = Omit<ChainSetting, 'rpcUrls'> & {
  chain: Chain;
  /** Rejects unless the node is of this chain. Asks until it has been once. */
  verify: () => Promise<void>;
};
export type WalletChains = ReadonlyMap<number, WalletChain>;

/** Opens a client per chain, and none for the service's own, unless it is listed. No request is sent before the first use. */
export function openWalletChains(
  { chain: own, payers, wallets }: Config,
  ownChain: Chain,
  log: Logger,
  resources: AsyncDisposableStack,
): WalletChains {
  const { chainId, name } = own;
  const { confirmations } = payers;
  const first = { chainId, name, explorer: undefined, confirmations };
  const chains = new Map<number, WalletChain>();
  chains.set(chainId, { ...first, chain: ownChain, verify: async () => {} });
  for (const { rpcUrls, ...listed } of wallets.chains) {
    const chain = connectChain({
      chainId: listed.chainId,
      name: listed.name,
      token: 'ETH',
      rpcUrls,
      privateRpcUrl: undefined,
      wsUrls: [],
      pollingIntervalMs: own.pollingIntervalMs,
      onNodeFault: ({ node, host, fault }) =>
        log.warn(
          { chain_id: listed.chainId, node, host, reason: fault },
          'an RPC node is not used for a while',
        ),
    });
    resources.defer(chain.close);
    chains.set(listed.chainId, { ...listed, chain, verify: verifier(chain) });
  }
  return chains;
}

function verifier(chain: Chain): () => Promise<void> {
  let isVerified = false;
  return async () => {
    if (isVerified) return;
    const found = await chain.client.getChainId();
    if (found !== chain.chainId)
      throw new Error(`a node of CHAINS is of chain ${found}, not ${chain.chainId}`);
    isVerified = true;
  };
}

/** Throws `DegradedError` that names the chains with a fault. The service's own chain has its own check. */
export async function checkWalletChains(chains: WalletChains, ownChainId: number): Promise<void> {
  const others = [...chains.values()].filter(({ chainId }) => chainId !== ownChainId);
  const faults = await Promise.all(others.map(faultOf));
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new DegradedError(found.join('; '));
}

async function faultOf({ chain, chainId, name, verify }: WalletChain): Promise<string | undefined> {
  const label = `chain ${chainId} (${name})`;
  try {
    await verify();
    await chain.refreshHead();
  } catch {
    return `${label} does not answer, or is another chain`;
  }
  const nodes = chain.nodes();
  const faulty = nodes.filter(({ fault }) => fault !== undefined).length;
  return faulty > 0 ? `${label}: ${faulty} of ${nodes.length} RPC nodes failed` : undefined;
}
