import { groupId } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const removeGroup = defineWrite({
  path: 'remove_group',
  tag: 'groups',
  summary: 'Removes a group',
  auth: 'key',
  body: z.object({ group_id: groupId }),
  example: { group_id: '1' },
  function: 'removeGroup',
  args: (key, body) => [key, body.group_id],
});
