import { unixSeconds, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { encodeWrite } from '../../chain/account-config.ts';
import type { Context } from '../../context.ts';
import {
  changeErrors,
  defineRoute,
  optionalDescription,
  optionalName,
  permissionArguments,
  permissionFields,
  prefix,
  success,
  writeReplyHeaders,
} from '../define-route.ts';

export const updateUsageApiKey = defineRoute({
  method: 'POST',
  path: `${prefix}/update_usage_api_key`,
  tag: 'usage-keys',
  summary: 'Replaces a usage key',
  description: 'What is left out is reset to its default.',
  auth: 'accountKey',
  price: 'admin_write',
  body: z.object({
    usage_api_key: usageKeyHash,
    name: optionalName,
    description: optionalDescription,
    expiration: unixSeconds.prefault('0'),
    ...permissionFields,
  }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
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
    const { blockNumber } = await accountConfig.write('multicall', [calls], { account, idempotencyId });
    setHeader('X-Block-Number', blockNumber);
    return { success: true as const };
  },
});
