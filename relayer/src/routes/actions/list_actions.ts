import { groupId, pageQuery } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, listReplyHeaders, prefix, sendList } from '../define-route.ts';

const page = z.array(z.object({ id: z.string(), name: z.string(), description: z.string() }));

export const listActions = defineRoute({
  method: 'GET',
  path: `${prefix}/list_actions`,
  tag: 'actions',
  summary: 'Lists the actions of the account, or of one of its groups',
  description: '`group_id` 0 lists all actions, like no `group_id`.',
  auth: 'anyKeyOrWallet',
  query: pageQuery.extend({ group_id: groupId.optional() }),
  reply: page,
  replyHeaders: listReplyHeaders,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ lists }: Pick<Context, 'lists'>, { query, caller, setHeader }) =>
    sendList(
      await lists.read(caller, {
        list: 'actions',
        query: { ...query, group_id: query.group_id || undefined },
        schema: page,
      }),
      setHeader,
    ),
});
