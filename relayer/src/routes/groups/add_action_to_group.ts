import { cidOrWildcard, groupId } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const addActionToGroup = defineWrite({
  path: 'add_action_to_group',
  tag: 'groups',
  summary: 'Adds an action to a group',
  auth: 'key',
  body: z.object({ group_id: groupId, action_ipfs_cid: cidOrWildcard }),
  example: { group_id: '1', action_ipfs_cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o' },
  function: 'addActionToGroup',
  args: (key, body) => [key, body.group_id, body.action_ipfs_cid],
});
