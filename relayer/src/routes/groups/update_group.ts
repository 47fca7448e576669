import { addressOrWildcard, description, groupId, hashOrWildcard, name } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const updateGroup = defineWrite({
  path: 'update_group',
  tag: 'groups',
  summary: 'Replaces a group',
  description:
    'Replaces the whole group: afterwards it has exactly these labels, actions and wallets. An omitted array is empty.',
  auth: 'key',
  body: z.object({
    group_id: groupId,
    name,
    description,
    pkp_ids_permitted: z.array(addressOrWildcard).max(10).default([]),
    cid_hashes_permitted: z.array(hashOrWildcard).max(10).default([]),
  }),
  example: {
    group_id: '1',
    name: 'signers',
    description: 'Every action, every wallet',
    pkp_ids_permitted: ['0x0'],
    cid_hashes_permitted: ['0x0'],
  },
  function: 'updateGroup',
  args: (key, body) => [
    key,
    body.group_id,
    body.name,
    body.description,
    body.cid_hashes_permitted,
    body.pkp_ids_permitted,
  ],
});
