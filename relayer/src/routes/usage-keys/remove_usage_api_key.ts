import { usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { changeErrors, defineRoute, prefix, success, writeReplyHeaders } from '../define-route.ts';

export const removeUsageApiKey = defineRoute({
  method: 'POST',
  path: `${prefix}/remove_usage_api_key`,
  tag: 'usage-keys',
  summary: 'Removes a usage key',
  description: 'The key is refused from the next request on.',
  auth: 'accountKey',
  price: 'admin_write',
  body: z.object({ usage_api_key: usageKeyHash }),
  reply: success,
  replyHeaders: writeReplyHeaders,
  errors: changeErrors,
  example: {
    body: { usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1' },
    reply: { success: true },
  },
  handle: async (
    { accountConfig }: Pick<Context, 'accountConfig'>,
    { body, caller, idempotencyId, setHeader },
  ) => {
    const { account } = caller;
    const written = await accountConfig.write('removeUsageApiKey', [caller.hash, body.usage_api_key], {
      account,
      idempotencyId,
      capsChange: { key: hashText(body.usage_api_key), caps: null },
      paidBy: { key: caller.hash, reason: 'remove_usage_api_key' },
    });
    setHeader('X-Block-Number', written.blockNumber);
    return { success: true as const };
  },
});
