/**
 * The environment of an action, in addition to the globals of the web. An editor completes it with
 * `"extends": "@latchkey/action/tsconfig.json"` in the `tsconfig.json` of the actions.
 */
import type { ethers as Ethers } from 'ethers';

/** JSON that an action can return. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

type Quantity = bigint | number | string;
export interface TypedData {
  domain: object;
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: object;
}
/** As in viem. */
export interface Transaction {
  type?: 'legacy' | 'eip2930' | 'eip1559';
  chainId: Quantity;
  to?: string | null;
  value?: Quantity;
  data?: string;
  nonce?: Quantity;
  gas?: Quantity;
  gasPrice?: Quantity;
  maxFeePerGas?: Quantity;
  maxPriorityFeePerGas?: Quantity;
  accessList?: readonly { address: string; storageKeys: readonly string[] }[];
}
/** A local account of viem. */
export interface Account {
  address: `0x${string}`;
  type: 'local';
  source: 'custom';
  sign(parameters: { hash: string }): Promise<`0x${string}`>;
  signMessage(parameters: { message: string | { raw: string | Uint8Array } }): Promise<`0x${string}`>;
  signTypedData(parameters: object): Promise<`0x${string}`>;
  signTransaction(transaction: object, options?: object): Promise<`0x${string}`>;
}

/** Keys of a wallet besides its secp256k1 key. `taproot` is the output key of BIP 86 of the `bip340` key. */
export type KeyType = 'ed25519' | 'bip340' | 'taproot';

/**
 * The functions of the service. A function that returns a promise asks for keys: at most 10 calls per run, together. It rejects with
 * an `Error` whose `name` says why.
 */
export interface SvcActions {
  /**
   * Resolves to the private key of a wallet (0x and 64 hex digits), which the usage key must be permitted to use in this action.
   * Rejects with `TypeError`, `WalletNotPermittedError`, `WalletMismatchError` or `WalletNotExportableError`. To sign, call a signing function.
   */
  getPrivateKey(parameters: { pkpId: string }): Promise<string>;
  /** Resolves to the EIP-191 signature of a text or of bytes in hex. Rejects as `getPrivateKey` does, also below. */
  signMessage(parameters: { pkpId: string; message: string | { raw: string } }): Promise<string>;
  /** Resolves to the EIP-712 signature. */
  signTypedData(parameters: { pkpId: string } & TypedData): Promise<string>;
  /** Resolves to the signed transaction. */
  signTransaction(parameters: { pkpId: string; transaction: Transaction }): Promise<string>;
  /** Resolves to the signature of a hash (0x and 64 hex digits), which can be the hash of any message or transaction. */
  signHash(parameters: { pkpId: string; hash: string }): Promise<string>;
  /** Returns a signer of ethers that signs by these functions. */
  getSigner(parameters: { pkpId: string; provider?: Ethers.providers.Provider }): Ethers.Signer;
  /** Returns an account for `createWalletClient` of viem that signs by these functions. */
  getAccount(parameters: { pkpId: string }): Account;
  /** Resolves to the ciphertext of a text, in hex digits, under the key of a wallet. Rejects as `getPrivateKey` does. */
  Encrypt(parameters: { pkpId: string; message: string }): Promise<string>;
  /** Resolves to the text that `Encrypt` encrypted. Rejects as `getPrivateKey` does, and with `DecryptError`. */
  Decrypt(parameters: { pkpId: string; ciphertext: string }): Promise<string>;
  /** Resolves to the private key of the running action (0x and 64 hex digits). The same code always has the same key. */
  getActionPrivateKey(): Promise<string>;
  /** Resolves to the compressed public key (0x and 66 hex digits) of the action with this CID. Rejects with `ActionKeyError` for another action that has never run. */
  getActionPublicKey(parameters: { ipfsId: string }): Promise<string>;
  /** Resolves to the address of the action with this CID. Rejects as `getActionPublicKey` does. */
  getActionWalletAddress(parameters: { ipfsId: string }): Promise<string>;
  /**
   * Resolves to the signature (0x and 128 hex digits) of a message (0x and hex digits, at most 8,192 bytes) by a key of the wallet that is
   * whole nowhere. Rejects with `TypeError` or `WalletNotPermittedError`.
   */
  sign(parameters: { pkpId: string; keyType: KeyType; message: string }): Promise<string>;
  /** Resolves to the public key that `sign` signs with (0x and 64 hex digits; x-only for `bip340` and `taproot`). */
  getPublicKey(parameters: { pkpId: string; keyType: KeyType }): Promise<string>;
  /** Sets the response. The last call counts; a value that `main` returns takes precedence. */
  setResponse(parameters: { response: Json }): void;
  /** Returns the imported modules and their hashes. */
  showImportDetails(): { url: string; hash: string }[];
}

declare global {
  const Svc: { readonly Actions: SvcActions };
  const SvcActions: SvcActions;
  /** Version 5. */
  const ethers: typeof Ethers;
  var global: typeof globalThis;
}
