import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownTransaction, toTransactionRecord, transactionRecord } from './record.ts';

export const transaction = defineRoute({
  method: 'GET',
  path: `${prefix}/transactions/:id`,
  tag: 'transactions',
  summary: 'Returns a transaction of a wallet',
  auth: 'keyOrWallet',
  params: z.object({ id: z.guid() }),
  reply: transactionRecord.extend({ data: z.string().meta({ description: 'Calldata.' }) }),
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'walletChains'>, { params, caller }) => {
    const { data, ...record } = await ownTransaction(context, caller, params.id);
    return { ...toTransactionRecord(context, record), data };
  },
});
