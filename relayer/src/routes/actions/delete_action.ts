import { hash } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const deleteAction = defineWrite({
  path: 'delete_action',
  tag: 'actions',
  summary: 'Removes an action from the account and every group',
  auth: 'key',
  body: z.object({ hashed_cid: hash }),
  example: { hashed_cid: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5' },
  function: 'removeAction',
  args: (key, body) => [key, body.hashed_cid],
});
