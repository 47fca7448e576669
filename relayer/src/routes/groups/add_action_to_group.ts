import { cidOrWildcard, groupId } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const addActionToGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/add_action_to_group`,
  tag: 'groups',
  summary: 'Permits an action in a group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ group_id: groupId, action_ipfs_cid: cidOrWildcard }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { group_id: '1', action_ipfs_cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'addActionToGroup',
      [caller.hash, body.group_id, body.action_ipfs_cid],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'add_action_to_group' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
