import { unixSeconds } from '@latchkey/http';
import { apiKeyFromBytes, apiKeyHash } from '@latchkey/protocol';
import { z } from 'zod';
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
  windowHasCap,
  writeReplyHeaders,
} from '../define-route.ts';

export const addUsageApiKey = defineRoute({
  method: 'POST',
  path: `${prefix}/add_usage_api_key`,
  tag: 'usage-keys',
  summary: 'Makes a usage key',
  description: 'The reply holds the key once; afterwards only its hash is known.',
  auth: 'accountKey',
  price: 'admin_write',
  body: z
    .object({
      name: optionalName,
      description: optionalDescription,
      expiration: unixSeconds.prefault('0'),
      ...permissionFields,
      ...capFields,
    })
    .refine(...windowHasCap),
  reply: z.object({ success: z.literal(true), usage_api_key: z.string() }),
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { name: 'runner', execute_in_groups: ['1'], spend_cap_cents: 100, spend_window_seconds: 86_400 },
    reply: { success: true, usage_api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
  },
  handle: async (
    { accountConfig, requestSeeds }: Pick<Context, 'accountConfig' | 'requestSeeds'>,
    { body, caller: { hash, account }, idempotencyId, setHeader },
  ) => {
    const key = apiKeyFromBytes(await requestSeeds.seedOf(idempotencyId));
    const keyHash = apiKeyHash(key);
    const { blockNumber } = await accountConfig.write(
      'setUsageApiKey',
      [hash, keyHash, body.expiration, 0n, body.name, body.description, ...permissionArguments(body)],
      {
        account,
        idempotencyId,
        paidBy: { key: hash, reason: 'add_usage_api_key' },
        capsChange: capsChange(keyHash, body),
      },
    );
    setHeader('X-Block-Number', blockNumber);
    return { success: true as const, usage_api_key: key };
  },
});
