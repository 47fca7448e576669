import { hash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const deleteAction = defineRoute({
  method: 'POST',
  path: `${prefix}/delete_action`,
  tag: 'actions',
  summary: 'Removes an action from the account and every group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ hashed_cid: hash }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write('removeAction', [caller.hash, body.hashed_cid], {
      account,
      idempotencyId,
      paidBy: { key: caller.hash, reason: 'delete_action' },
    });
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
