import { pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList } from '../define-route.ts';

const page = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    cid_hashes_permitted: z.array(z.string()),
    pkp_ids_permitted: z.array(z.string()),
  }),
);

export const listGroups = defineRoute({
  method: 'GET',
  path: `${prefix}/list_groups`,
  tag: 'groups',
  summary: 'Lists the groups',
  auth: 'anyKeyOrWallet',
  query: pageQuery,
  reply: page,
  replyHeaders: listReplyHeaders,
  errors: ['service_unavailable'],
  handle: async ({ lists }: Pick<Context, 'lists'>, { query, caller, setHeader }) =>
    sendList(await lists.read(caller, { list: 'groups', query, schema: page }), setHeader),
});
