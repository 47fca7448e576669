import { address, queryInteger, wireCodec } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listWalletTransactions } from '../../db/wallet-transaction-records.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownerOf } from '../runs/record.ts';
import { ownTransaction, toTransactionRecord, transactionRecord, transactionStatus } from './record.ts';

const chainId = wireCodec(
  z.string().meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  z.number(),
  'expected the id of a chain in decimal digits',
  (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  String,
);

export const transactions = defineRoute({
  method: 'GET',
  path: `${prefix}/transactions`,
  tag: 'transactions',
  summary: 'Lists the transactions of wallets, newest first',
  description:
    'A usage key lists the transactions of its own runs; the account key and the admin wallet list all transactions of the account. A transaction ' +
    'must match all parameters. The next page begins with `cursor` of the last id. A settled transaction is listed for 30 days.',
  auth: 'keyOrWallet',
  query: z.object({
    wallet: address.optional(),
    chain_id: chainId.optional(),
    status: transactionStatus.optional(),
    cursor: z.guid().optional().meta({ description: 'Id of a transaction: lists the older ones.' }),
    limit: queryInteger(1, 1_000, 100),
  }),
  reply: z.array(transactionRecord),
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'walletChains'>, { query, caller }) => {
    const { chain_id, cursor: before, limit, ...rest } = query;
    if (before !== undefined) await ownTransaction(context, caller, before);
    const filter = { ...rest, chainId: chain_id, before };
    const found = await listWalletTransactions(context.db, ownerOf(caller), filter, limit);
    return found.map((record) => toTransactionRecord(context, record));
  },
});
