import { groupId } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const removeGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/remove_group`,
  tag: 'groups',
  summary: 'Removes a group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ group_id: groupId }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: { body: { group_id: '1' }, reply: { success: true } },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write('removeGroup', [caller.hash, body.group_id], {
      account,
      idempotencyId,
      paidBy: { key: caller.hash, reason: 'remove_group' },
    });
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
