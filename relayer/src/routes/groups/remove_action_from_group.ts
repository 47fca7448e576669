import { groupId, hashOrWildcard } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const removeActionFromGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/remove_action_from_group`,
  tag: 'groups',
  summary: 'Takes an action out of a group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ group_id: groupId, hashed_cid: hashOrWildcard }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { group_id: '1', hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'removeActionFromGroup',
      [caller.hash, body.group_id, body.hashed_cid],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'remove_action_from_group' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
