/** Releases wallet and action keys to one run, after the contract said that they belong to it. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { type Address, type Hex, isAddressEqual, keccak256, stringToBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ActionError } from '../runtime/errors.ts';
import type { KeyProvider } from './key-provider.ts';
import { decryptText, encryptText } from './message-cipher.ts';

/** The views of the contract that decide. They reject when the chain cannot be asked; nothing is released then. */
export type KeyAuthority = {
  canExecuteAction(usageKeyHash: bigint, cidHash: bigint): Promise<boolean>;
  canUseWalletInAction(usageKeyHash: bigint, cidHash: bigint, wallet: Address): Promise<boolean>;
  /** 0 when the key's account has no such wallet. */
  getWalletDerivation(usageKeyHash: bigint, wallet: Address): Promise<bigint>;
};

/** The key functions of one run, named as in the action's environment. What the action may know is an `ActionError`. */
export type RunKeys = {
  getPrivateKey(request: { pkpId: Address }): Promise<Hex>;
  /** Hex without 0x of `nonce(12) | AES-256-GCM ciphertext | tag(16)`. */
  Encrypt(request: { pkpId: Address; message: string }): Promise<string>;
  /** Takes what `Encrypt` gave, with or without 0x. */
  Decrypt(request: { pkpId: Address; ciphertext: string }): Promise<string>;
  getActionPrivateKey(): Promise<Hex>;
  /** Compressed public key of any action. */
  getActionPublicKey(request: { ipfsId: string }): Promise<Hex>;
  getActionWalletAddress(request: { ipfsId: string }): Promise<Address>;
};

export type RunKeysOptions = {
  keyProvider: KeyProvider;
  authority: KeyAuthority;
  /** `apiKeyHash` of the usage key that runs. */
  usageKeyHash: bigint;
  /** CID text of the running code, as it is registered. */
  cid: string;
};

export const createRunKeys = (options: RunKeysOptions): RunKeys => {
  const { keyProvider, authority, usageKeyHash, cid } = options;
  const cidHash = BigInt(keccak256(stringToBytes(cid)));

  /** Path and signing key of a wallet that this run may use. */
  const releaseWallet = async (wallet: Address): Promise<{ path: bigint; privateKey: Hex }> => {
    const [isPermitted, path] = await Promise.all([
      authority.canUseWalletInAction(usageKeyHash, cidHash, wallet),
      authority.getWalletDerivation(usageKeyHash, wallet),
    ]);
    if (!isPermitted) {
      throw new ActionError(
        'WalletNotPermittedError',
        `the wallet ${wallet} may not be used by this key in the action ${cid}: no group permits both`,
      );
    }
    // The contract answers 0 for a wallet that it does not know; no wallet is ever minted there.
    if (path === 0n)
      throw new ActionError('WalletNotPermittedError', `the wallet ${wallet} is not registered`);
    const privateKey = await keyProvider.derive(path);
    // Anyone may register somebody's address with a path of their own: only the derived key tells whose it is.
    if (!isAddressEqual(privateKeyToAccount(privateKey).address, wallet)) {
      throw new ActionError(
        'WalletMismatchError',
        `the wallet ${wallet} is not the one at its derivation path`,
      );
    }
    return { path, privateKey };
  };

  /** Signing key of an action, for a run that the contract still permits. */
  const releaseAction = async (ofCid: string): Promise<Hex> => {
    if (!(await authority.canExecuteAction(usageKeyHash, cidHash)))
      throw new ActionError('PermissionError', `this usage key may no longer run the action ${cid}`);
    return keyProvider.deriveAction(ofCid);
  };

  return {
    async getPrivateKey({ pkpId }) {
      return (await releaseWallet(pkpId)).privateKey;
    },
    async Encrypt({ pkpId, message }) {
      const { path } = await releaseWallet(pkpId);
      return encryptText(await keyProvider.deriveEncryption(path), message);
    },
    async Decrypt({ pkpId, ciphertext }) {
      const { path } = await releaseWallet(pkpId);
      return decryptText(await keyProvider.deriveEncryption(path), ciphertext);
    },
    getActionPrivateKey: () => releaseAction(cid),
    async getActionPublicKey({ ipfsId }) {
      const privateKey = await releaseAction(ipfsId);
      return `0x${bytesToHex(secp256k1.getPublicKey(hexToBytes(privateKey.slice(2)), true))}`;
    },
    async getActionWalletAddress({ ipfsId }) {
      return privateKeyToAccount(await releaseAction(ipfsId)).address;
    },
  };
};
