import { description, name, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const updateUsageApiKeyMetadata = defineRoute({
  method: 'POST',
  path: `${prefix}/update_usage_api_key_metadata`,
  tag: 'usage-keys',
  summary: 'Replaces the labels of a usage key',

  auth: 'accountKey',
  price: 'admin_write',
  body: z.object({ usage_api_key: usageKeyHash, name, description }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: {
      usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      name: 'runner',
      description: 'Runs the signer',
    },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write(
      'updateUsageApiKeyMetadata',
      [caller.hash, body.usage_api_key, body.name, body.description],
      { account, idempotencyId, paidBy: { key: caller.hash, reason: 'update_usage_api_key_metadata' } },
    );
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
