import { pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList, walletItem } from '../define-route.ts';

const page = z.array(walletItem);

export const listWallets = defineRoute({
  method: 'GET',
  path: `${prefix}/list_wallets`,
  tag: 'wallets',
  summary: 'Lists the wallets',
  auth: 'anyKeyOrWallet',
  query: pageQuery,
  reply: page,
  replyHeaders: listReplyHeaders,
  errors: ['service_unavailable'],
  handle: async ({ lists }: Pick<Context, 'lists'>, { query, caller, setHeader }) =>
    sendList(await lists.read(caller, { list: 'wallets', query, schema: page }), setHeader),
});
