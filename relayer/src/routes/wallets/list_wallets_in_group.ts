import { groupId, pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList, walletItem } from '../define-route.ts';

const page = z.array(walletItem);

export const listWalletsInGroup = defineRoute({
  method: 'GET',
  path: `${prefix}/list_wallets_in_group`,
  tag: 'wallets',
  summary: 'Lists the wallets of a group',
  auth: 'anyKeyOrWallet',
  query: pageQuery.extend({ group_id: groupId }),
  reply: page,
  replyHeaders: listReplyHeaders,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ lists }: Pick<Context, 'lists'>, { query, caller, setHeader }) =>
    sendList(await lists.read(caller, { list: 'wallets', query, schema: page }), setHeader),
});
