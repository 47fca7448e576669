import type { Sealer } from '@latchkey/service/sealer';
import type { KeyType } from '@latchkey/threshold/signing';
import type { Hex } from 'viem';

/**
 * The source of every secret the relayer derives. Nothing is stored per wallet: one argument always gives the same
 * secret, and no two functions return the same secret for any arguments. All functions are asynchronous because a
 * provider can use a network.
 *
 * A path is the uint256 that the contract stores for a wallet (`getWalletDerivation`); other values throw a
 * `RangeError`. Callers that release a wallet's secret must ask the contract first, as `createRunKeys` does.
 */
export type KeyProvider = {
  /** Returns the private signing key of the wallet at `path`: a secp256k1 scalar from 1 to order − 1. */
  derive(path: bigint): Promise<Hex>;
  /** Returns the AES-256 key (32 bytes) of the wallet at `path`, for `Encrypt` and `Decrypt`. */
  deriveEncryption(path: bigint): Promise<Uint8Array>;
  /**
   * Returns the private signing key of the action with this CID text. CIDv0 and CIDv1 of the same content are two
   * actions.
   */
  deriveAction(cid: string): Promise<Hex>;
  /**
   * Returns the 32 bytes whose base64 is the usage key minted at `path`: a secp256k1 scalar, so that it has an address.
   */
  deriveUsageKeySecret(path: bigint): Promise<Hex>;
  /** Signs as the wallet at `path` with its key of this type. Returns the public key too. */
  sign(
    keyType: KeyType,
    path: bigint,
    message: Uint8Array,
  ): Promise<{ signature: Uint8Array; publicKey: Uint8Array }>;
  /** Returns the private key that signs receipts of runs. */
  receiptSigningKey(): Promise<Hex>;
  /** Returns a sealer for data at rest. Each label has its own key. */
  sealer(label: string): Sealer;
};
