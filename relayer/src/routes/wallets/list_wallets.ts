import { pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList, walletItem } from '../define-route.ts';

export const listWallets = defineRoute({
  method: 'GET',
  path: `${prefix}/list_wallets`,
  tag: 'wallets',
  summary: 'Lists the wallets',
  auth: 'keyOrWallet',
  query: pageQuery,
  reply: z.array(walletItem),
  replyHeaders: listReplyHeaders,
  errors: ['service_unavailable'],
  handle: async ({ indexer }: Pick<Context, 'indexer'>, { query, caller, setHeader }) =>
    sendList(await indexer.list(caller.account, 'wallets', query, caller.minBlock), setHeader),
});
