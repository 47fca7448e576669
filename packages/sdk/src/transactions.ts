import type { Address, Hash, Hex } from 'viem';
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, createDeadline } from './deadline.ts';
import { receiveEvents } from './events.ts';
import { type GetReplyOf, get, optionalDate } from './http.ts';
import type { Page } from './pages.ts';
import { readCredential } from './proof.ts';
import { usageKeyHash, word } from './values.ts';

/** More than the longest stream. */
const STREAM_TIMEOUT_MS = 11 * 60_000;

/**
 * `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded.
 * `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.
 */
export type TransactionStatus = 'queued' | 'broadcast' | 'mined' | 'confirmed' | 'replaced' | 'failed';

/** A transaction of a wallet that an action has sent. */
export interface WalletTransaction {
  id: string;
  wallet: Address;
  chainId: number;
  nonce: number;
  /** Undefined for the creation of a contract. */
  to: Address | undefined;
  /** Wei. */
  value: bigint;
  gas: bigint;
  /** Wei per gas of the latest form. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  status: TransactionStatus;
  /** Why it failed or was replaced. */
  reason: string | undefined;
  /** Hash of the mined form, or of the latest one. */
  hash: Hash;
  /** Hashes of all forms that were broadcast, of which one can be mined. */
  hashes: Hash[];
  explorerUrl: string | undefined;
  blockNumber: bigint | undefined;
  cancelRequestedAt: Date | undefined;
  runId: string;
  cid: string;
  usageKeyHash: bigint;
  createdAt: Date;
  changedAt: Date;
  /** Only from {@link getTransaction}. */
  data?: Hex | undefined;
}

type WireTransaction = GetReplyOf<'/core/v1/transactions'>[number];

const toTransaction = (wire: WireTransaction): WalletTransaction => ({
  id: wire.id,
  wallet: wire.wallet as Address,
  chainId: wire.chain_id,
  nonce: wire.nonce,
  to: (wire.to as Address | null) ?? undefined,
  value: BigInt(wire.value),
  gas: BigInt(wire.gas),
  maxFeePerGas: BigInt(wire.max_fee_per_gas),
  maxPriorityFeePerGas: BigInt(wire.max_priority_fee_per_gas),
  status: wire.status,
  reason: wire.reason ?? undefined,
  hash: wire.hash as Hash,
  hashes: wire.hashes as Hash[],
  explorerUrl: wire.explorer_url ?? undefined,
  blockNumber: wire.block_number === null ? undefined : BigInt(wire.block_number),
  cancelRequestedAt: optionalDate(wire.cancel_requested_at),
  runId: wire.run_id,
  cid: wire.cid,
  usageKeyHash: BigInt(wire.usage_key_hash),
  createdAt: new Date(wire.created_at),
  changedAt: new Date(wire.changed_at),
});

/** Filters, all of which a transaction must match. */
export interface ListTransactionsParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a transaction: lists the older ones. */
  before?: string | undefined;
  wallet?: Address | undefined;
  /** The usage key whose runs sent it, or its hash. */
  usageKey?: string | bigint | undefined;
  status?: TransactionStatus | undefined;
}

/** Lists the transactions of wallets, newest first: those of the account, or with a usage key those of its own runs. */
export async function listTransactions(
  client: BareClient,
  parameters: ListTransactionsParameters = {},
  options?: CallOptions,
): Promise<Page<WalletTransaction, ListTransactionsParameters>> {
  const { pageSize = 100, before, wallet, usageKey, status } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/transactions', {
    query: {
      page_size: pageSize,
      before,
      wallet,
      usage_key_hash: usageKey === undefined ? undefined : word(usageKeyHash(usageKey)),
      status,
    },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toTransaction), nextPage: last && { ...parameters, before: last.id } };
}

export interface TransactionParameters {
  id: string;
}

/** Returns a transaction with its calldata. */
export async function getTransaction(
  client: BareClient,
  { id }: TransactionParameters,
  options?: CallOptions,
): Promise<WalletTransaction> {
  const { json } = await getAsOwner(client, options, '/core/v1/transactions/{id}', {
    params: { id },
  });
  return { ...toTransaction(json), data: json.data as Hex };
}

/**
 * Cancels a transaction that is not mined, by a transfer of nothing with its nonce that the wallet pays for. It is `replaced` when that is mined.
 * Rejects with the code `conflict` when it is settled.
 */
export async function cancelTransaction(
  client: BareClient,
  { id }: TransactionParameters,
  options?: CallOptions,
): Promise<WalletTransaction> {
  const { json } = await postAsOwner(client, options, '/core/v1/cancel_transaction', { id });
  return toTransaction(json);
}

export interface FollowTransactionsParameters {
  /** Called with each pending transaction, and then with each one that changes. */
  onTransaction: (transaction: WalletTransaction) => void;
}

/** Follows the transactions until the stream ends, after 10 minutes at the latest. Resolves to those that are pending then: call it again. */
export async function followTransactions(
  client: BareClient,
  { onTransaction }: FollowTransactionsParameters,
  options: CallOptions = {},
): Promise<WalletTransaction[]> {
  const deadline = createDeadline(options, STREAM_TIMEOUT_MS);
  const receiver = receiveEvents((name, data) => {
    if (name === 'transaction') onTransaction(toTransaction(data as WireTransaction));
  });
  const credential = await readCredential(client, deadline);
  const { json } = await get(client, '/core/v1/transactions/events', { ...credential, receiver, deadline });
  return json.map(toTransaction);
}
