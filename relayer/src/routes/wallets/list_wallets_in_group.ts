import { groupId, pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList, walletItem } from '../define-route.ts';

export const listWalletsInGroup = defineRoute({
  method: 'GET',
  path: `${prefix}/list_wallets_in_group`,
  tag: 'wallets',
  summary: 'Lists the wallets of a group',
  auth: 'keyOrWallet',
  query: pageQuery.extend({ group_id: groupId }),
  reply: z.array(walletItem),
  replyHeaders: listReplyHeaders,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ indexer }: Pick<Context, 'indexer'>, { query, caller, setHeader }) =>
    sendList(await indexer.list(caller.account, 'wallets', query, caller.minBlock), setHeader),
});
