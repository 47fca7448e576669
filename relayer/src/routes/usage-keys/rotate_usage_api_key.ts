import { newKeyHash, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { success } from '../define-route.ts';
import { defineWrite } from '../define-write.ts';
import { keyIsTaken, makeKey } from '../fresh-keys.ts';

export const rotateUsageApiKey = defineWrite({
  path: 'rotate_usage_api_key',
  tag: 'usage-keys',
  summary: 'Replaces a usage key',
  description:
    'Permissions, expiration, labels and caps stay. The old key is refused from the next request on and can never be used again. ' +
    'Without new_usage_api_key the relayer makes the new key, which the reply shows once; it makes another one when a stranger ' +
    'registers its hash first. Triggers keep the old key: give them the new one with PATCH /api/triggers/:id of the trigger service.',
  auth: 'accountKey',
  body: z.object({ usage_api_key: usageKeyHash, new_usage_api_key: newKeyHash.optional() }),
  example: {
    usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    new_usage_api_key: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
  },
  before: async (
    { requestSeeds }: Pick<Context, 'requestSeeds'>,
    { body: { new_usage_api_key: hash }, idempotencyId },
  ): Promise<{ key?: string; hash: bigint }> =>
    hash === undefined ? makeKey(requestSeeds, idempotencyId) : { hash },
  keySeeds: ({ requestSeeds }, body) => (body.new_usage_api_key === undefined ? requestSeeds : undefined),
  function: 'rotateUsageApiKey',
  args: (key, body, { hash }) => [key, body.usage_api_key, hash],
  capsChange: (body, { hash }) => ({ key: hashText(hash), from: hashText(body.usage_api_key) }),
  refusal: ({ errorName }) =>
    errorName === 'AccountAlreadyExists' ? keyIsTaken('new_usage_api_key') : undefined,
  reply: {
    schema: success.extend({ usage_api_key: z.string().optional() }),
    example: { success: true },
    from: (_written, { made: { key } }) => ({
      success: true as const,
      ...(key !== undefined && { usage_api_key: key }),
    }),
  },
});
