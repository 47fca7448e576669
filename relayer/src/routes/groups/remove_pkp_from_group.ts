import { addressOrWildcard, groupId, notFound } from '@latchkey/http';
import { z } from 'zod';
import { ContractRevertError } from '../../chain/errors.ts';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const removePkpFromGroup = defineRoute({
  method: 'POST',
  path: `${prefix}/remove_pkp_from_group`,
  tag: 'groups',
  summary: 'Takes a wallet out of a group',

  auth: 'key',
  price: 'admin_write',
  body: z.object({ group_id: groupId, pkp_id: addressOrWildcard }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { group_id: '1', pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig
      .write('removePkpFromGroup', [caller.hash, body.group_id, body.pkp_id], {
        account,
        idempotencyId,
        paidBy: { key: caller.hash, reason: 'remove_pkp_from_group' },
      })
      .catch((thrown: unknown) => {
        if (thrown instanceof ContractRevertError && thrown.revert?.errorName === 'PkpDoesNotExist')
          throw notFound(`The group ${body.group_id} has no wallet ${body.pkp_id}.`, {
            fix: 'list_wallets_in_group shows its wallets.',
          });
        throw thrown;
      });
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
