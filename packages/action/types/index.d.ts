/**
 * The environment of an action, in addition to the globals of the web. An editor completes it with
 * `"extends": "@latchkey/action/tsconfig.json"` in the `tsconfig.json` of the actions.
 */
import type { ethers as Ethers } from 'ethers';

/** JSON that an action can return. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * The functions of the service. The first six ask for keys: at most 10 calls per run, together. They reject with an `Error` whose
 * `name` says why.
 */
export interface SvcActions {
  /**
   * Resolves to the private key of a wallet (0x and 64 hex digits), which the usage key must be permitted to use in this action.
   * Rejects with `TypeError`, `WalletNotPermittedError` or `WalletMismatchError`.
   */
  getPrivateKey(parameters: { pkpId: string }): Promise<string>;
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
