import type { Address, Hex } from 'viem';

/** A transaction that an action asks to send. */
export type WalletTransaction = {
  /** Master hash. */
  account: bigint;
  /** Hash of the usage key of the run. */
  usageKey: bigint;
  runId: string;
  cid: string;
  wallet: Address;
  chainId: number;
  /** Null creates a contract. */
  to: Address | null;
  value: bigint;
  data: Hex;
  gas: bigint | undefined;
  /** The highest maximum fee per gas that the wallet offers, in wei. */
  maxFeePerGas: bigint | undefined;
  idempotencyKey: string | undefined;
};

export type WalletFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Forms that the run signs, all with one nonce: the call with each of the fees, and a transfer of nothing to itself with the last ones. */
export type ToSignByRun = {
  nonce: number;
  gas: bigint;
  forms: WalletFees[];
  cancel: WalletFees & { gas: bigint };
};
export type SignedByRun = { forms: Hex[]; cancel: Hex };
/** Rejects when the run has ended or refuses. Called again with another nonce when this one was taken. */
export type SignByRun = (toSign: ToSignByRun) => Promise<SignedByRun>;

/** Stores, broadcasts and resolves to the transaction; does not wait until it is mined. */
export type SendWalletTransaction = (
  request: WalletTransaction,
  sign: SignByRun,
) => Promise<{ id: string; hash: Hex; nonce: number }>;

/** The service refuses a transaction of a wallet; the message is for the action's author. */
export class WalletTransactionError extends Error {
  override readonly name = 'TransactionError';
}
