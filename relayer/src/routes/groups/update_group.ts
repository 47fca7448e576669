import { addressOrWildcard, description, groupId, hashOrWildcard, name } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const updateGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/update_group`,
  tag: 'groups',
  summary: 'Replaces a group',
  description:
    'Replaces everything: the group has exactly these labels, actions and wallets afterwards. An array that is left out is empty.',
  auth: 'key',
  price: 'admin_write',
  body: z.object({
    group_id: groupId,
    name,
    description,
    pkp_ids_permitted: z.array(addressOrWildcard).max(10).default([]),
    cid_hashes_permitted: z.array(hashOrWildcard).max(10).default([]),
  }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: {
      group_id: '1',
      name: 'signers',
      description: 'Every action, every wallet',
      pkp_ids_permitted: ['0x0'],
      cid_hashes_permitted: ['0x0'],
    },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'updateGroup',
      [
        caller.hash,
        body.group_id,
        body.name,
        body.description,
        body.cid_hashes_permitted,
        body.pkp_ids_permitted,
      ],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'update_group' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
