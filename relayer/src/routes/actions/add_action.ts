import { cid, description, name } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const addAction = defineWrite({
  path: 'add_action',
  tag: 'actions',
  summary: 'Registers an action',
  auth: 'key',
  body: z.object({ action_ipfs_cid: cid, name, description }),
  namesNothing: true,
  example: {
    action_ipfs_cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
    name: 'sign',
    description: 'Signs a message',
  },
  function: 'addAction',
  args: (key, body) => [key, body.name, body.description, cidHash(body.action_ipfs_cid)],
});
