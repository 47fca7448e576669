/** Releases wallet and action keys to one run, after the contract confirms that they belong to it. */
import { isExportable } from '@latchkey/protocol';
import { ActionError } from '@latchkey/runner-protocol';
import { notExportable, type RunKeys } from '@latchkey/runner-protocol/key-operation';
import { decryptText, encryptText } from '@latchkey/runner-protocol/message-cipher';
import type { ThresholdKeys } from '@latchkey/runner-protocol/threshold-operation';
import { addressOf, compressedPublicKey, signHash } from '@latchkey/service/secp256k1';
import {
  type Address,
  bytesToHex,
  type Hex,
  hexToBytes,
  isAddressEqual,
  keccak256,
  stringToBytes,
} from 'viem';
import type { KeyProvider } from './key-provider.ts';

/** The contract views that decide. They reject when the chain cannot be asked; then nothing is released. */
export type KeyAuthority = {
  canExecuteAction(usageKeyHash: bigint, cidHash: bigint): Promise<boolean>;
  canUseWalletInAction(usageKeyHash: bigint, cidHash: bigint, wallet: Address): Promise<boolean>;
  /** Returns 0 when the key's account does not have the wallet. */
  getWalletDerivation(usageKeyHash: bigint, wallet: Address): Promise<bigint>;
};

export type RunKeysOptions = {
  keyProvider: KeyProvider;
  authority: KeyAuthority;
  /** `apiKeyHash` of the usage key that runs the action. */
  usageKeyHash: bigint;
  /** CID text of the running code, as registered. */
  cid: string;
};

export function createRunKeys(options: RunKeysOptions): RunKeys & ThresholdKeys {
  const { keyProvider, cid } = options;
  return {
    async getPrivateKey({ pkpId }) {
      const { path, privateKey } = await releaseWallet(options, pkpId);
      if (!isExportable(path)) throw notExportable(`the wallet ${pkpId}`);
      return privateKey;
    },
    async signHash({ pkpId, hash }) {
      return signHash(hash, hexToBytes((await releaseWallet(options, pkpId)).privateKey));
    },
    async Encrypt({ pkpId, message }) {
      const { path } = await releaseWallet(options, pkpId);
      return encryptText(await keyProvider.deriveEncryption(path), message);
    },
    async Decrypt({ pkpId, ciphertext }) {
      const { path } = await releaseWallet(options, pkpId);
      return decryptText(await keyProvider.deriveEncryption(path), ciphertext);
    },
    async sign({ pkpId, keyType, message }) {
      const { path } = await releaseWallet(options, pkpId);
      return bytesToHex((await keyProvider.sign(keyType, path, hexToBytes(message))).signature);
    },
    async getPublicKey({ pkpId, keyType }) {
      const { path } = await releaseWallet(options, pkpId);
      return bytesToHex((await keyProvider.sign(keyType, path, new Uint8Array())).publicKey);
    },
    getActionPrivateKey: () => releaseAction(options, cid),
    async getActionPublicKey({ ipfsId }) {
      const privateKey = await releaseAction(options, ipfsId);
      return compressedPublicKey(hexToBytes(privateKey));
    },
    async getActionWalletAddress({ ipfsId }) {
      return addressOf(hexToBytes(await releaseAction(options, ipfsId)));
    },
  };
}

const hashOf = (cid: string) => BigInt(keccak256(stringToBytes(cid)));

/** Returns the path and signing key of a wallet that this run is permitted to use. */
async function releaseWallet(
  { keyProvider, authority, usageKeyHash, cid }: RunKeysOptions,
  wallet: Address,
): Promise<{ path: bigint; privateKey: Hex }> {
  const cidHash = hashOf(cid);
  const [isPermitted, path] = await Promise.all([
    authority.canUseWalletInAction(usageKeyHash, cidHash, wallet),
    authority.getWalletDerivation(usageKeyHash, wallet),
  ]);
  if (!isPermitted) {
    throw new ActionError(
      'WalletNotPermittedError',
      `this key is not permitted to use the wallet ${wallet} in the action ${cid}: no group permits both`,
    );
  }
  // The contract returns 0 for an unknown wallet; no wallet is ever minted at path 0.
  if (path === 0n) throw new ActionError('WalletNotPermittedError', `the wallet ${wallet} is not registered`);
  const privateKey = await keyProvider.derive(path);
  // Any account can register another's address with its own path: only the derived key shows whose address it is.
  if (!isAddressEqual(addressOf(hexToBytes(privateKey)), wallet)) {
    throw new ActionError(
      'WalletMismatchError',
      `the wallet ${wallet} does not match the key at its derivation path`,
    );
  }
  return { path, privateKey };
}

/** Returns the signing key of an action, for a run that the contract still permits. */
async function releaseAction(
  { keyProvider, authority, usageKeyHash, cid }: RunKeysOptions,
  ofCid: string,
): Promise<Hex> {
  if (!(await authority.canExecuteAction(usageKeyHash, hashOf(cid))))
    throw new ActionError(
      'PermissionError',
      `this usage key is no longer permitted to run the action ${cid}`,
    );
  return keyProvider.deriveAction(ofCid);
}
