import { address, cid, hash, notFound, unprocessableEntity } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import { zeroAddress } from 'viem';
import { z } from 'zod';
import { accountKeyCannotRun, type Reader } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { explainRule, ruleNames } from '../../runs/permission.ts';
import { defineRoute, prefix } from '../define-route.ts';

const verdict = (subject: string) =>
  z.object({
    permitted: z.boolean(),
    rule: z.enum(ruleNames).meta({ description: 'The rule of the contract that decides.' }),
    group_id: z
      .string()
      .meta({ description: `Id of the lowest group that permits ${subject}; "0" when no group does.` }),
    explanation: z.string(),
  });

export const explainExecution = defineRoute({
  method: 'GET',
  path: `${prefix}/explain_execution`,
  tag: 'actions',
  summary: 'Explains whether a usage key is permitted to run an action and use a wallet in it',
  description:
    'Asks the contract, which makes the same decision for every run. Send `cid` or `hashed_cid`. A usage key asks about itself; an account key ' +
    'asks about one of its usage keys with `usage_api_key`.',
  auth: 'key',
  query: z
    .object({
      cid: cid.optional(),
      hashed_cid: hash.optional(),
      pkp_id: address.optional(),
      // The hash, not the key: URLs are logged.
      usage_api_key: hash.optional().meta({
        description:
          'Hash of a usage key of the account, as list_api_keys returns it. With an account key only.',
      }),
    })
    .refine(
      (query) => (query.cid === undefined) !== (query.hashed_cid === undefined),
      'send either cid or hashed_cid',
    ),
  reply: z.object({
    action: verdict('the action'),
    wallet: verdict('the wallet').optional().meta({ description: 'Present when `pkp_id` was sent.' }),
    code_stored: z.boolean().optional().meta({
      description:
        'Whether the relayer stores the code. Otherwise its gateway must serve it. Present when `cid` was sent.',
    }),
  }),
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  handle: async (
    {
      accountConfig,
      actionCodes,
      keyRegistry,
    }: Pick<Context, 'accountConfig' | 'actionCodes' | 'keyRegistry'>,
    { query, caller },
  ) => {
    const usageKey = await findUsageKey({ keyRegistry }, caller, query.usage_api_key);
    const cidHashed = query.cid === undefined ? (query.hashed_cid as bigint) : cidHash(query.cid);
    const args = [usageKey, cidHashed, query.pkp_id ?? zeroAddress] as const;
    const found = await accountConfig.read('explainExecution', args, caller.minBlock);
    return {
      action: toVerdict(found.canExecute, found.actionRule, found.actionGroupId),
      ...(query.cid !== undefined && { code_stored: await actionCodes.has(query.cid) }),
      ...(query.pkp_id && { wallet: toVerdict(found.canUseWallet, found.walletRule, found.walletGroupId) }),
    };
  },
});

/** Returns the hash of the usage key that the caller asks about. */
async function findUsageKey(
  { keyRegistry }: Pick<Context, 'keyRegistry'>,
  { hash, account, minBlock, isUsageKey }: Reader,
  asked: bigint | undefined,
): Promise<bigint> {
  if (isUsageKey) {
    if (asked !== undefined)
      throw unprocessableEntity('A usage key can ask about itself only.', {
        fix: 'Send the account key, or leave out usage_api_key.',
      });
    return hash;
  }
  if (asked === undefined) throw accountKeyCannotRun();
  const found = await keyRegistry.find(asked, minBlock);
  if (found?.account !== account || !found.isUsageKey)
    throw notFound('The account does not have this usage key.', {
      fix: 'Find its usage keys with list_api_keys.',
    });
  return asked;
}

const toVerdict = (permitted: boolean, ruleNumber: number, groupId: bigint) => ({
  permitted,
  ...explainRule(ruleNumber),
  group_id: String(groupId),
});
