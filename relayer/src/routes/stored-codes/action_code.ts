import { cid, notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { storedCode, toStoredCode } from './record.ts';

export const actionCode = defineRoute({
  method: 'GET',
  path: `${prefix}/action_code/:cid`,
  tag: 'actions',
  summary: 'Returns code that the account has stored',
  description:
    'Code that the account has run, but not stored, is not returned: it can be that of another account.',
  auth: 'accountKeyOrWallet',
  params: z.object({ cid }),
  reply: storedCode.extend({ code: z.string() }),
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  handle: async ({ storedCodes }: Pick<Context, 'storedCodes'>, { params, caller }) => {
    const found = await storedCodes.find(caller.account, params.cid);
    if (!found)
      throw notFound('The account has not stored the code of this CID.', {
        fix: 'Store it with store_action_code.',
      });
    return { ...toStoredCode(found), code: Buffer.from(found.code).toString() };
  },
});
