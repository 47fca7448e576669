import { conflict } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { statusOf } from '../../db/wallet-transaction-records.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownTransaction, toTransactionRecord, transactionRecord } from './record.ts';

export const cancelTransaction = defineRoute({
  method: 'POST',
  path: `${prefix}/cancel_transaction`,
  tag: 'transactions',
  summary: 'Cancels a transaction of a wallet that is not mined',
  description:
    'Broadcasts the form that cancels it: a transfer of nothing from the wallet to itself with the same nonce, which the run has signed with the ' +
    'transaction. Its gas is paid by the wallet. The transaction is `replaced` when that is mined, and `confirmed` or `failed` when it was itself mined ' +
    'first. Another call broadcasts it again.',
  auth: 'keyOrWallet',
  body: z.strictObject({ id: z.guid() }),
  reply: transactionRecord,
  example: {
    body: { id: '3f0c2f5e-7a3c-4d0e-9a43-0d5f1c1b5a10' },
    reply: {
      id: '3f0c2f5e-7a3c-4d0e-9a43-0d5f1c1b5a10',
      wallet: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      chain_id: 31_337,
      nonce: 7,
      to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      value: '1000000000000000',
      gas: '57300',
      max_fee_per_gas: '20000000000',
      max_priority_fee_per_gas: '2000000000',
      status: 'broadcast',
      reason: null,
      hash: `0x${'b2'.repeat(32)}`,
      hashes: [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(32)}`],
      explorer_url: null,
      block_number: null,
      cancel_requested_at: '2026-01-01T00:00:10.000Z',
      run_id: '0b8f3c1e-51d1-4a0c-8a54-7d0e34b1a001',
      cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
      usage_key_hash: `0x${'c3'.repeat(32)}`,
      created_at: '2026-01-01T00:00:00.000Z',
      changed_at: '2026-01-01T00:00:10.000Z',
    },
  },
  errors: ['not_found', 'conflict', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'walletChains' | 'walletOutboxes'>, { body, caller }) => {
    const known = await ownTransaction(context, caller, body.id);
    const outbox = context.walletOutboxes.get(known.chainId);
    if (!outbox)
      throw conflict(
        `This service no longer serves chain ${known.chainId}: it cannot cancel the transaction.`,
      );
    const isMined = statusOf(known) === 'mined' || known.status !== 'pending';
    const isCancelled = !isMined && (await outbox.cancel(body.id));
    const { data: _data, ...record } = await ownTransaction(context, caller, body.id);
    if (!isCancelled)
      throw conflict(`The transaction is ${statusOf(record)}: it can no longer be cancelled.`);
    return toTransactionRecord(context, record);
  },
});
