import { addressOrWildcard, groupId } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const addPkpToGroup = defineWrite({
  path: 'add_pkp_to_group',
  tag: 'groups',
  summary: 'Adds a wallet to a group',
  auth: 'key',
  body: z.object({ group_id: groupId, pkp_id: addressOrWildcard }),
  example: { group_id: '1', pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  function: 'addPkpToGroup',
  args: (key, body) => [key, body.group_id, body.pkp_id],
});
