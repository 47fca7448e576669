import { description, hash, name } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const updateActionMetadata = defineRoute({
  method: 'POST',
  path: `${prefix}/update_action_metadata`,
  tag: 'actions',
  summary: 'Replaces the labels of an action',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ hashed_cid: hash, name, description }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: {
      hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
      name: 'sign',
      description: 'Signs a message',
    },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'updateActionMetadata',
      [caller.hash, body.hashed_cid, 0n, body.name, body.description],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'update_action_metadata' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
