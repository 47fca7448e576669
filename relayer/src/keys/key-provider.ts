import type { Sealer } from '@latchkey/service/sealer';
import type { Hex } from 'viem';

/**
 * The source of every secret the relayer derives. Nothing is stored a wallet: the same argument gives the same
 * secret for ever, and no two functions share one, whatever their arguments. All of it is asynchronous because a
 * provider may have to ask a network.
 *
 * A path is the uint256 that the contract keeps for a wallet (`getWalletDerivation`); out of that range it is a
 * `RangeError`. Who releases a wallet's secret asks the contract first: `createRunKeys` does.
 */
export type KeyProvider = {
  /** Private signing key of the wallet at `path`: a secp256k1 scalar, 1 to order − 1. */
  derive(path: bigint): Promise<Hex>;
  /** AES-256 key (32 bytes) of the wallet at `path`, for `Encrypt` and `Decrypt`. */
  deriveEncryption(path: bigint): Promise<Uint8Array>;
  /** Private signing key of the action with this CID text. CIDv0 and CIDv1 of one content are two actions. */
  deriveAction(cid: string): Promise<Hex>;
  /** The 32 bytes that a usage key minted at `path` is the base64 of; a secp256k1 scalar, so that it has an address. */
  deriveUsageKeySecret(path: bigint): Promise<Hex>;
  /** A sealer for data at rest. Each label has a key of its own. */
  sealer(label: string): Sealer;
};
