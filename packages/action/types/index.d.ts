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
/** A use of a limit. Integers are decimal. */
export interface Allowance {
  cid: string;
  wallet: string;
  name: string;
  /** Seconds. */
  window: string;
  limit: string;
  amount: string;
  /** Sum of the window, with this use. */
  sum: string;
  /** One more than that of the use before. */
  sequence: string;
  /** Unix time in microseconds. */
  time: string;
  run: string;
  /** EIP-712 signature of the signer of receipts. */
  signature: string;
}
/** A transaction that the service sends. */
export interface TransactionToSend {
  /** Address of the wallet. */
  pkpId: string;
  chainId: Quantity;
  /** Null creates a contract with the code in `data`. */
  to: string | null;
  value?: Quantity;
  /** At most 65,536 bytes. */
  data?: string;
  /** Default: the estimate, with headroom. */
  gas?: Quantity | undefined;
  /** In wei, the highest that the wallet pays, also when the fee is raised. */
  maxFeePerGas?: Quantity | undefined;
  /** A second send of the account with the same key, wallet and chain returns the first transaction. */
  idempotencyKey?: string | undefined;
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

export interface ApprovalRequest {
  /** One line of at most 500 characters, which the approvers sign and read. */
  summary: string;
  /** 0x and 64 hex digits: identifies what the action does once it is approved. */
  hash: string;
  /** Wallets with a private key. The runner verifies their signatures. */
  approvers?: readonly string[];
  /** Contract wallets (ERC-1271). The relayer verifies their signatures. */
  contractApprovers?: readonly string[];
  /** P-256 public keys of passkeys, 0x and the 66 hex digits of the compressed form. The runner verifies their assertions. */
  passkeyApprovers?: readonly string[];
  /** Domain of the pages for which the passkeys were made (`rpId` of WebAuthn). Required with `passkeyApprovers`. */
  passkeyRpId?: string;
  /** Number of approvers that must sign. */
  threshold: number;
  /** Last Unix second at which the approval counts, at most 30 days ahead. */
  expires: number;
}
export interface Approval {
  id: string;
  expires: number;
  /** `approver`: an address, or the public key of a passkey. */
  signatures: { approver: `0x${string}`; signature: `0x${string}` }[];
}

/**
 * The functions of the service. A function that returns a promise asks for keys: at most 10 combinations of function and wallet, key type or CID per run, in at most 100 calls. It rejects with
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
  /**
   * Resolves to the value of a secret of the account: the newest version, or `version`. Rejects with `TypeError`, `SecretError` also for a version before `minVersion`,
   * or `WalletNotPermittedError`. The value is redacted in logs, response and error.
   */
  getSecret(name: string, options?: { version?: number; minVersion?: number }): Promise<string>;
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
  /**
   * Takes `amount` of a limit that the service counts for this action, wallet and name, unless the sum of the last `windowSeconds` would
   * be more than `limit`. Resolves to a statement that the service has signed. Rejects with `TypeError` or `AllowanceError`.
   */
  takeAllowance(parameters: {
    pkpId: string;
    name: string;
    amount: Quantity;
    limit: Quantity;
    windowSeconds: number;
  }): Promise<Allowance>;
  /**
   * Sends a transaction of a wallet: the service assigns its nonce and fees. Resolves when it is broadcast, not when it is mined. Rejects as
   * `getPrivateKey` does, and with `TransactionError` when nothing was sent. At most 50 per run.
   */
  sendTransaction(parameters: TransactionToSend): Promise<{ id: string; hash: `0x${string}`; nonce: number }>;
  /** Returns a provider for a chain of the service, without a URL. Its calls count as fetches, and reject with `RpcError`. */
  rpc(chainId: number): Ethers.providers.StaticJsonRpcProvider;
  /**
   * Resolves to the approval when enough approvers have signed it. Otherwise the run ends as `waiting_for_approval`, which no `catch` sees, and goes on
   * from its start once they have. Rejects with `TypeError`.
   */
  requireApproval(parameters: ApprovalRequest): Promise<Approval>;
  /** Sets the response. The last call counts; a value that `main` returns takes precedence. */
  setResponse(parameters: { response: Json }): void;
  /** Returns the imported modules and their hashes. */
  showImportDetails(): { url: string; hash: string }[];
}

export type Encoding =
  | 'utf8'
  | 'utf-8'
  | 'hex'
  | 'base64'
  | 'base64url'
  | 'latin1'
  | 'binary'
  | 'ascii'
  | 'utf16le'
  | 'ucs2';
/** The part of Node's `Buffer` that is used most. */
export interface NodeBuffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: Encoding, start?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array): number;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset?: number, length?: number, encoding?: Encoding): number;
  subarray(start?: number, end?: number): NodeBuffer;
  readUInt8(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readBigUInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  writeUInt8(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
}
export interface NodeBufferConstructor {
  readonly prototype: NodeBuffer;
  from(text: string, encoding?: Encoding): NodeBuffer;
  from(bytes: ArrayLike<number> | Iterable<number> | ArrayBufferLike): NodeBuffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: Encoding): NodeBuffer;
  allocUnsafe(size: number): NodeBuffer;
  concat(parts: readonly Uint8Array[], length?: number): NodeBuffer;
  compare(a: Uint8Array, b: Uint8Array): number;
  byteLength(text: string | ArrayBufferLike | ArrayBufferView, encoding?: Encoding): number;
  isBuffer(value: unknown): value is NodeBuffer;
  isEncoding(name: string): name is Encoding;
}

declare global {
  // The types of Node, where a project has them.
  var Buffer: typeof globalThis extends { onmessage: unknown; Buffer: infer T } ? T : NodeBufferConstructor;
  interface RequestInit {
    /** Milliseconds that can pass without data. Default: 30,000. */
    timeoutMs?: number;
  }
  const Svc: { readonly Actions: SvcActions };
  const SvcActions: SvcActions;
  /** Version 5. */
  const ethers: typeof Ethers;
  var global: typeof globalThis;
}
