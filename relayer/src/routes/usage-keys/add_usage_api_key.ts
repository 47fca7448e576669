import { unixSeconds } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import {
  capFields,
  capsChange,
  optionalDescription,
  optionalName,
  permissionArguments,
  permissionFields,
  success,
  windowHasCap,
} from '../define-route.ts';
import { defineWrite } from '../define-write.ts';
import { makeKey } from '../fresh-keys.ts';

export const addUsageApiKey = defineWrite({
  path: 'add_usage_api_key',
  tag: 'usage-keys',
  summary: 'Creates a usage key',
  description: 'The reply contains the key, which is shown once; only its hash is stored.',
  auth: 'accountKey',
  body: z
    .object({
      name: optionalName,
      description: optionalDescription,
      expiration: unixSeconds.prefault('0'),
      ...permissionFields,
      ...capFields,
    })
    .refine(...windowHasCap),
  example: { name: 'runner', execute_in_groups: ['1'], spend_cap_cents: 100, spend_window_seconds: 86_400 },
  before: ({ requestSeeds }: Pick<Context, 'requestSeeds'>, { idempotencyId }) =>
    makeKey(requestSeeds, idempotencyId),
  keySeeds: ({ requestSeeds }) => requestSeeds,
  function: 'setUsageApiKey',
  args: (key, body, { hash }) => [
    key,
    hash,
    body.expiration,
    0n,
    body.name,
    body.description,
    ...permissionArguments(body),
  ],
  capsChange: (body, { hash }) => capsChange(hash, body),
  reply: {
    schema: success.extend({ usage_api_key: z.string() }),
    example: { success: true, usage_api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
    from: (_written, { made }) => ({ success: true as const, usage_api_key: made.key }),
  },
});
