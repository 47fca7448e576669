/** Shared by the routes of transactions: wire form and ownership. */
import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Reader } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import {
  findWalletTransaction,
  statusOf,
  type WalletTransactionRecord,
  walletTransactionStatuses,
} from '../../db/wallet-transaction-records.ts';
import { ownerOf } from '../runs/record.ts';

export const transactionStatus = z.enum(walletTransactionStatuses).meta({
  description:
    '`queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. ' +
    '`failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.',
});

const moment = z.iso.datetime();
const wei = z.string().meta({ description: 'Wei, in decimal digits.' });

export const transactionRecord = z.object({
  id: z.guid(),
  wallet: z.string(),
  chain_id: z.int(),
  nonce: z.int(),
  to: z.string().nullable().meta({ description: 'Null creates a contract.' }),
  value: wei,
  gas: z.string(),
  max_fee_per_gas: wei,
  max_priority_fee_per_gas: wei,
  status: transactionStatus,
  reason: z.string().nullable().meta({ description: 'Why it failed or was replaced.' }),
  hash: z.string().meta({ description: 'Hash of the mined form, or of the latest one.' }),
  hashes: z.array(z.string()).meta({
    description: 'Hashes of all forms that were broadcast. Any of them can be mined, but only one.',
  }),
  explorer_url: z.string().nullable(),
  block_number: z.int().nullable(),
  cancel_requested_at: moment.nullable(),
  run_id: z.string(),
  cid: z.string(),
  usage_key_hash: z.string(),
  created_at: moment,
  changed_at: moment,
});

const CANCELLED = 'cancelled';

function reasonOf({ status, minedHash, reason }: WalletTransactionRecord): string | null {
  if (status !== 'replaced') return reason;
  return minedHash ? CANCELLED : 'another transaction used the nonce';
}

export function toTransactionRecord(
  { walletChains }: Pick<Context, 'walletChains'>,
  record: WalletTransactionRecord,
): z.output<typeof transactionRecord> {
  const hash = record.minedHash ?? record.hashes.at(-1) ?? '';
  const explorer = walletChains.get(record.chainId)?.explorer;
  return {
    id: record.id,
    wallet: record.payer,
    chain_id: record.chainId,
    nonce: record.nonce,
    to: record.to,
    value: String(record.value),
    gas: String(record.gas),
    max_fee_per_gas: String(record.maxFeePerGas),
    max_priority_fee_per_gas: String(record.maxPriorityFeePerGas),
    status: statusOf(record),
    reason: reasonOf(record),
    hash,
    hashes: record.hashes,
    explorer_url: explorer === undefined ? null : `${explorer.replace(/\/$/, '')}/tx/${hash}`,
    block_number: record.blockNumber === null ? null : Number(record.blockNumber),
    cancel_requested_at: record.cancelRequestedAt?.toISOString() ?? null,
    run_id: record.runId,
    cid: record.cid,
    usage_key_hash: record.usageKey,
    created_at: record.createdAt.toISOString(),
    changed_at: record.changedAt.toISOString(),
  };
}

/** Resolves to a transaction of the caller. Throws 404 for an unknown one and for that of another caller. */
export async function ownTransaction({ db }: Pick<Context, 'db'>, caller: Reader, id: string) {
  const found = await findWalletTransaction(db, ownerOf(caller), id);
  if (!found)
    throw notFound('There is no such transaction.', {
      fix: 'GET /core/v1/transactions lists the transactions that this key can see.',
    });
  return found;
}
