import { usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { hashText } from '../../db/text.ts';
import { defineWrite } from '../define-write.ts';

export const removeUsageApiKey = defineWrite({
  path: 'remove_usage_api_key',
  tag: 'usage-keys',
  summary: 'Removes a usage key',
  description: 'The key is refused from the next request on.',
  auth: 'accountKey',
  body: z.object({ usage_api_key: usageKeyHash }),
  example: { usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1' },
  function: 'removeUsageApiKey',
  args: (key, body) => [key, body.usage_api_key],
  capsChange: (body) => ({ key: hashText(body.usage_api_key), isRemoved: true }),
});
