/** Makes the keys of new wallets and usage keys. */
import { type Address, type Hex, isAddress } from 'viem';
import { z } from 'zod';
import type { Mint, Runners } from '../runners/runners.ts';
import type { KeyNodes } from './key-nodes.ts';

/** The signature of the key nodes that the wallet at its path has its address. */
export const addressCertificate = z.strictObject({
  /** Canonical text of the parameters of the group under which the partials hold. */
  parameters: z.string(),
  /** Proven partial evaluations of the address and the path, of at least t key nodes. */
  partials: z.array(z.strictObject({ identifier: z.int(), partial: z.base64() })).max(16),
});

const mintedWallet = z.strictObject({
  address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
  /** Uncompressed, 0x and 130 hex digits. Absent when a runner of an earlier version made the wallet. */
  publicKey: z
    .custom<Hex>((value) => typeof value === 'string' && /^0x04[0-9a-f]{128}$/.test(value))
    .optional(),
  certificate: addressCertificate,
});
export type MintedWallet = z.infer<typeof mintedWallet>;

/** Returns a new wallet from its JSON. */
export const readMintedWallet = (text: string): MintedWallet => mintedWallet.parse(JSON.parse(text));

/** The contract must not have the path yet. */
export type Mints = {
  /** Returns the wallet at `path`. */
  wallet: (path: bigint) => Promise<MintedWallet>;
  /** Returns the secret of the usage key at `path`. */
  usageKey: (path: bigint) => Promise<Hex>;
};

/** The runner derives the key of a wallet and returns the address that the key nodes signed, so this process never has the key. */
export function createMints(keyNodes: KeyNodes, runners: Runners): Mints {
  const make = (mint: Mint): Promise<string> => {
    const isOwn: Parameters<KeyNodes['askFor']>[0] = ({ purpose }) =>
      'path' in purpose &&
      (purpose.kind === mint.kind || (purpose.kind === 'wallet-address' && mint.kind === 'mint-wallet')) &&
      BigInt(purpose.path) === mint.path;
    return runners.mint(mint, keyNodes.askFor(isOwn, 0n));
  };
  return {
    wallet: async (path) => readMintedWallet(await make({ kind: 'mint-wallet', path })),
    usageKey: async (path) => (await make({ kind: 'mint-usage-key', path })) as Hex,
  };
}
