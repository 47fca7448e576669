import { address, hash, queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { listWalletTransactions } from '../../db/wallet-transaction-records.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownerOf } from '../runs/record.ts';
import { ownTransaction, toTransactionRecord, transactionRecord, transactionStatus } from './record.ts';

export const transactions = defineRoute({
  method: 'GET',
  path: `${prefix}/transactions`,
  tag: 'transactions',
  summary: 'Lists the transactions of wallets, newest first',
  description:
    'A usage key lists the transactions of its own runs; the account key and the admin wallet list all transactions of the account. A transaction ' +
    'must match all parameters. The next page begins with `before` of the last id. A settled transaction is listed for 30 days.',
  auth: 'keyOrWallet',
  query: z.object({
    page_size: queryInteger(1, 1_000, 100),
    before: z.guid().optional().meta({ description: 'Id of a transaction: lists the older ones.' }),
    wallet: address.optional(),
    usage_key_hash: hash.optional(),
    status: transactionStatus.optional(),
  }),
  reply: z.array(transactionRecord),
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'walletChains'>, { query, caller }) => {
    const { page_size: limit, usage_key_hash: key, ...rest } = query;
    if (rest.before !== undefined) await ownTransaction(context, caller, rest.before);
    const filter = { ...rest, usageKey: key === undefined ? undefined : hashText(key) };
    const found = await listWalletTransactions(context.db, ownerOf(caller), filter, limit);
    return found.map((record) => toTransactionRecord(context, record));
  },
});
