import { cid, notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { exampleCid } from './record.ts';

export const deleteActionCode = defineRoute({
  method: 'POST',
  path: `${prefix}/delete_action_code`,
  tag: 'actions',
  summary: 'Deletes code that the account has stored',
  description: 'The action stays registered. Code that the relayer keeps after a paid run is not deleted.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ action_ipfs_cid: cid }),
  reply: success,
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  example: { body: { action_ipfs_cid: exampleCid }, reply: { success: true } },
  handle: async ({ storedCodes }: Pick<Context, 'storedCodes'>, { body, caller }) => {
    if (!(await storedCodes.remove(caller.account, body.action_ipfs_cid)))
      throw notFound('The account has not stored the code of this CID.', {
        fix: 'Find its codes with list_action_codes.',
      });
    return { success: true as const };
  },
});
