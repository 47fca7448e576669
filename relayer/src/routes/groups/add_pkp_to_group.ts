import { addressOrWildcard, groupId } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const addPkpToGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/add_pkp_to_group`,
  tag: 'groups',
  summary: 'Permits a wallet in a group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ group_id: groupId, pkp_id: addressOrWildcard }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { group_id: '1', pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write('addPkpToGroup', [caller.hash, body.group_id, body.pkp_id], {
      account,
      idempotencyId,
      paidBy: { key: caller.hash, reason: 'add_pkp_to_group' },
    });
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
