import { description, hash, name } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const updateActionMetadata = defineWrite({
  path: 'update_action_metadata',
  tag: 'actions',
  summary: 'Replaces the labels of an action',
  auth: 'key',
  body: z.object({ hashed_cid: hash, name, description }),
  example: {
    hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
    name: 'sign',
    description: 'Signs a message',
  },
  function: 'updateActionMetadata',
  args: (key, body) => [key, body.hashed_cid, 0n, body.name, body.description],
});
