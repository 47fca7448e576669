import { groupId, hashOrWildcard } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const removeActionFromGroup = defineWrite({
  path: 'remove_action_from_group',
  tag: 'groups',
  summary: 'Removes an action from a group',
  auth: 'key',
  body: z.object({ group_id: groupId, hashed_cid: hashOrWildcard }),
  example: {
    group_id: '1',
    hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
  },
  function: 'removeActionFromGroup',
  args: (key, body) => [key, body.group_id, body.hashed_cid],
});
