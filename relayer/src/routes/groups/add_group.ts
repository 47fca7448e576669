import { addressOrWildcard, decimal, description, hashOrWildcard, name } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, writeReplyHeaders } from '../define-route.ts';

export const addGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/add_group`,
  tag: 'groups',
  summary: 'Adds a group',
  description:
    'The CID hash 0 permits every action, the wallet 0 every wallet of the account. An action that the account does not have is registered with empty labels.',
  auth: 'key',
  price: 'admin_write',
  body: z.object({
    group_name: name,
    group_description: description,
    pkp_ids_permitted: z.array(addressOrWildcard).max(10).default([]),
    cid_hashes_permitted: z.array(hashOrWildcard).max(10).default([]),
  }),
  reply: z.object({ success: z.literal(true), group_id: decimal }),
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: {
      group_name: 'signers',
      group_description: 'Can sign',
      pkp_ids_permitted: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
      cid_hashes_permitted: ['0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5'],
    },
    reply: { success: true, group_id: '1' },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'addGroup',
      [
        caller.hash,
        body.group_name,
        body.group_description,
        body.cid_hashes_permitted,
        body.pkp_ids_permitted,
      ],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'add_group' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const, group_id: written.event('GroupAdded').groupId };
  },
});
