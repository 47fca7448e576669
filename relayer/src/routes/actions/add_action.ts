import { cid, description, name } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix, success, writeErrors, writeReplyHeaders } from '../define-route.ts';

export const addAction = defineRoute({
  method: 'POST',
  path: `${prefix}/add_action`,
  tag: 'actions',
  summary: 'Registers an action',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ action_ipfs_cid: cid, name, description }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: writeErrors,
  example: {
    body: {
      action_ipfs_cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
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
      'addAction',
      [caller.hash, body.name, body.description, cidHash(body.action_ipfs_cid)],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'add_action' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
