/** Browser wallets: those that announce themselves (EIP-6963), connected by wagmi. */
import type { NodeChainConfig } from '@latchkey/sdk';
import {
  type Account,
  type Address,
  type Chain,
  type Client,
  createWalletClient,
  custom,
  defineChain,
  type EIP1193Provider,
  type Transport,
} from 'viem';
import { type Connector, createConfig, http, type Config as WagmiConfig } from 'wagmi';
import { connect, disconnect } from 'wagmi/actions';
import type { Config } from './config.ts';

export function createWalletConfig(
  { rpcUrl }: Config,
  { chainId, chainName, token, testnet }: NodeChainConfig,
): WagmiConfig {
  const chain = defineChain({
    id: chainId,
    name: chainName,
    testnet,
    nativeCurrency: { name: token, symbol: token, decimals: 18 },
    rpcUrls: { default: { http: rpcUrl === undefined ? [] : [rpcUrl] } },
  });
  // Without a storage: a session ends with its page, and so does the connection.
  return createConfig({ chains: [chain], transports: { [chainId]: http(rpcUrl) }, storage: null });
}

/** A request that needs the user's consent in the wallet, and its result. */
export type WalletRequest = { method: string; state: 'asked' | 'granted' | 'refused'; result?: unknown };

const NEEDS_CONSENT = new Set(['eth_sendTransaction', 'eth_signTypedData_v4', 'personal_sign']);
const listeners = new Set<(request: WalletRequest) => void>();

/** Calls the listener for every request to the wallet that needs consent. Returns the function that ends this. */
export function onWalletRequest(listener: (request: WalletRequest) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const notify = (request: WalletRequest): void => {
  for (const listener of listeners) listener(request);
};

function observed(provider: EIP1193Provider): { request: EIP1193Provider['request'] } {
  const request = async (asked: { method: string; params?: unknown }): Promise<unknown> => {
    const send = () => (provider.request as (args: unknown) => Promise<unknown>)(asked);
    if (!NEEDS_CONSENT.has(asked.method)) return send();
    const { method } = asked;
    notify({ method, state: 'asked' });
    try {
      const result = await send();
      notify({ method, state: 'granted', result });
      return result;
    } catch (error) {
      notify({ method, state: 'refused' });
      throw error;
    }
  };
  return { request: request as EIP1193Provider['request'] };
}

export type ConnectedWallet = { address: Address; wallet: Client<Transport, Chain, Account> };

/** Asks the wallet to connect, on the chain of the service. Resolves to a client that signs with it. */
export async function connectWallet(config: WagmiConfig, connector: Connector): Promise<ConnectedWallet> {
  const [chain] = config.chains;
  // A wallet stays connected when its session ends, and wagmi refuses to connect it twice.
  if (config.state.current === connector.uid) await disconnect(config, { connector });
  const { accounts } = await connect(config, { connector, chainId: chain.id });
  return walletOf(config, connector, accounts[0]);
}

/** Returns a client that signs with an account of a connected wallet. */
export async function walletOf(
  { chains: [chain] }: WagmiConfig,
  connector: Connector,
  address: Address,
): Promise<ConnectedWallet> {
  const provider = (await connector.getProvider()) as EIP1193Provider;
  const wallet = createWalletClient({
    account: address,
    chain,
    transport: custom(observed(provider)),
    pollingInterval: 500,
  });
  return { address, wallet };
}
