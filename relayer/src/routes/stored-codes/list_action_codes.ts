import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { storedCode, toStoredCode } from './record.ts';

export const listActionCodes = defineRoute({
  method: 'GET',
  path: `${prefix}/list_action_codes`,
  tag: 'actions',
  summary: 'Lists the stored codes of the account without their text, newest first',
  auth: 'accountKeyOrWallet',
  reply: z.array(storedCode),
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ storedCodes }: Pick<Context, 'storedCodes'>, { caller }) =>
    (await storedCodes.list(caller.account)).map(toStoredCode),
});
