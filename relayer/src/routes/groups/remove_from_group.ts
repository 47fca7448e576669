import { addressOrWildcard, groupId, hashOrWildcard } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const removeFromGroup = defineWrite({
  path: 'remove_from_group',
  tag: 'groups',
  summary: 'Removes actions and wallets from a group',
  description: 'All or none. A usage key needs the permissions for the kinds of member that it sends.',
  auth: 'key',
  body: z.object({
    group_id: groupId,
    cid_hashes: z.array(hashOrWildcard).max(10).default([]),
    pkp_ids: z.array(addressOrWildcard).max(10).default([]),
  }),
  example: {
    group_id: '1',
    cid_hashes: ['0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5'],
    pkp_ids: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  },
  function: 'removeFromGroup',
  args: (key, body) => [key, body.group_id, body.cid_hashes, body.pkp_ids],
});
