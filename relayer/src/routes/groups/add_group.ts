import { addressOrWildcard, decimal, description, hashOrWildcard, name } from '@latchkey/http';
import { z } from 'zod';
import { success } from '../define-route.ts';
import { defineWrite } from '../define-write.ts';

export const addGroup = defineWrite({
  path: 'add_group',
  tag: 'groups',
  summary: 'Creates a group',
  description:
    'The CID hash 0 permits every action, the wallet 0 every wallet of the account. An action that the account does not have is registered with empty labels.',
  auth: 'key',
  body: z.object({
    group_name: name,
    group_description: description,
    pkp_ids_permitted: z.array(addressOrWildcard).max(10).default([]),
    cid_hashes_permitted: z.array(hashOrWildcard).max(10).default([]),
  }),
  example: {
    group_name: 'signers',
    group_description: 'Can sign',
    pkp_ids_permitted: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    cid_hashes_permitted: ['0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5'],
  },
  function: 'addGroup',
  args: (key, body) => [
    key,
    body.group_name,
    body.group_description,
    body.cid_hashes_permitted,
    body.pkp_ids_permitted,
  ],
  reply: {
    schema: success.extend({ group_id: decimal }),
    example: { success: true, group_id: '1' },
    from: ({ event }) => ({ success: true as const, group_id: event('GroupAdded').groupId }),
  },
});
