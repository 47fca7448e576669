import type { CreateConnectorFn } from '@wagmi/core';
import { type Chain, getAddress, numberToHex, SwitchChainError } from 'viem';
import type { LatchkeyAccount } from './account.ts';
import { createProvider, type LatchkeyProvider, type ProviderParameters } from './provider.ts';

export interface ConnectorParameters extends Pick<ProviderParameters, 'serviceChainIds' | 'transports'> {
  account: LatchkeyAccount;
  /** Name that the page shows. Default: Latchkey. */
  name?: string | undefined;
}

/** Returns a wagmi connector for the wallet. The chains are those of the configuration of wagmi. */
export function latchkey(parameters: ConnectorParameters): CreateConnectorFn<LatchkeyProvider> {
  const { account, name = 'Latchkey', transports, serviceChainIds } = parameters;
  return ({ chains, emitter, transports: ofWagmi }) => {
    const shared = { account, chains, serviceChainIds };
    const provider = createProvider({ ...shared, transports: transports ?? ofWagmi });
    let isConnected = false;
    const getChainId = async () => Number(await provider.request({ method: 'eth_chainId' }));
    const onChainChanged = (chainId: string) => emitter.emit('change', { chainId: Number(chainId) });

    async function switchChain({ chainId }: { chainId: number }): Promise<Chain> {
      await provider.request({
        method: 'wallet_switchEthereumChain',
        params: [{ chainId: numberToHex(chainId) }],
      });
      const chain = chains.find(({ id }) => id === chainId);
      if (!chain) throw new SwitchChainError(new Error(`the chain ${chainId} is not configured`));
      return chain;
    }
    function disconnect(): void {
      isConnected = false;
      provider.removeListener('chainChanged', onChainChanged);
    }

    return {
      id: 'latchkey',
      name,
      type: 'latchkey',
      async connect({ chainId, withCapabilities } = {}) {
        if (!isConnected) provider.on('chainChanged', onChainChanged);
        isConnected = true;
        if (chainId !== undefined) await switchChain({ chainId });
        const connected = withCapabilities ? { address: account.address, capabilities: {} } : account.address;
        return { accounts: [connected] as never, chainId: await getChainId() };
      },
      disconnect: async () => disconnect(),
      getAccounts: async () => (isConnected ? [account.address] : []),
      getChainId,
      getProvider: async () => provider,
      // The configuration has the key: a page that was reloaded is still connected.
      isAuthorized: async () => true,
      switchChain,
      onAccountsChanged: (accounts) => {
        emitter.emit('change', { accounts: accounts.map((address) => getAddress(address)) });
      },
      onChainChanged,
      onDisconnect() {
        disconnect();
        emitter.emit('disconnect');
      },
    };
  };
}
