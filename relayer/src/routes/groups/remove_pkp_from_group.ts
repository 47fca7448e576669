import { addressOrWildcard, groupId, notFound } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const removePkpFromGroup = defineWrite({
  path: 'remove_pkp_from_group',
  tag: 'groups',
  summary: 'Removes a wallet from a group',
  auth: 'key',
  body: z.object({ group_id: groupId, pkp_id: addressOrWildcard }),
  example: { group_id: '1', pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  function: 'removePkpFromGroup',
  args: (key, body) => [key, body.group_id, body.pkp_id],
  refusal: ({ errorName }, body) =>
    errorName === 'PkpDoesNotExist'
      ? notFound(`The group ${body.group_id} has no wallet ${body.pkp_id}.`, {
          fix: 'Find its wallets with list_wallets_in_group.',
        })
      : undefined,
});
