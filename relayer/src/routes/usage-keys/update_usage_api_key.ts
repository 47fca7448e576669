import { unixSeconds, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { encodeWrite } from '../../chain/account-config.ts';
import type { Context } from '../../context.ts';
import {
  capFields,
  capsChange,
  changeErrors,
  defineRoute,
  optionalDescription,
  optionalName,
  permissionArguments,
  permissionFields,
  prefix,
  success,
  windowHasCap,
  writeReplyHeaders,
} from '../define-route.ts';

export const updateUsageApiKey = defineRoute({
  method: 'POST',
  path: `${prefix}/update_usage_api_key`,
  tag: 'usage-keys',
  summary: 'Replaces a usage key',
  description:
    'What is left out is reset to its default, the caps too. What the key has spent in its window stays spent.',
  auth: 'accountKey',
  price: 'admin_write',
  body: z
    .object({
      usage_api_key: usageKeyHash,
      name: optionalName,
      description: optionalDescription,
      expiration: unixSeconds.prefault('0'),
      ...permissionFields,
      ...capFields,
    })
    .refine(...windowHasCap),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: {
      usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      name: 'runner',
      execute_in_groups: ['1', '2'],
    },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller: { hash, account }, idempotencyId, setHeader },
  ) => {
    const { usage_api_key: key, name, description, expiration } = body;
    // setUsageApiKey alone would make a key that is not there; the first call refuses that.
    const calls = [
      encodeWrite('updateUsageApiKeyMetadata', [hash, key, name, description]),
      encodeWrite('setUsageApiKey', [
        hash,
        key,
        expiration,
        0n,
        name,
        description,
        ...permissionArguments(body),
      ]),
    ];
    const { blockNumber } = await accountConfig.write('multicall', [calls], {
      account,
      idempotencyId,
      paidBy: { key: hash, reason: 'update_usage_api_key' },
      capsChange: capsChange(key, body),
    });
    setHeader('X-Block-Number', blockNumber);
    return { success: true as const };
  },
});
