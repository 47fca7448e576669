/** Makes the keys of new wallets and usage keys. */
import { type Address, getAddress, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { Mint, Runners } from '../runners/runners.ts';
import type { KeyNodes } from './key-nodes.ts';
import type { KeyProvider } from './key-provider.ts';

/** The contract must not have the path yet. */
export type Mints = {
  /** Returns the address of the wallet at `path`. */
  wallet: (path: bigint) => Promise<Address>;
  /** Returns the secret of the usage key at `path`. */
  usageKey: (path: bigint) => Promise<Hex>;
};

export const localMints = (keyProvider: KeyProvider): Mints => ({
  wallet: async (path) => privateKeyToAddress(await keyProvider.derive(path)),
  usageKey: (path) => keyProvider.deriveUsageKeySecret(path),
});

/** The runner derives the key of a wallet and returns its address: this process never has it. */
export function nodeMints(keyNodes: KeyNodes, runners: Runners): Mints {
  const make = (mint: Mint): Promise<string> => {
    const isOwn: Parameters<KeyNodes['askFor']>[0] = (purpose) =>
      purpose.kind === mint.kind && BigInt(purpose.path) === mint.path;
    return runners.mint(mint, keyNodes.askFor(isOwn, 0n));
  };
  return {
    wallet: async (path) => getAddress(await make({ kind: 'mint-wallet', path })),
    usageKey: async (path) => (await make({ kind: 'mint-usage-key', path })) as Hex,
  };
}
