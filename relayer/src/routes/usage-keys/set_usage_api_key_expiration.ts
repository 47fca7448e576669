import { unixSeconds, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const setUsageApiKeyExpiration = defineWrite({
  path: 'set_usage_api_key_expiration',
  tag: 'usage-keys',
  summary: 'Changes when a usage key expires',
  description: 'An expired key works again after a later expiration.',
  auth: 'accountKey',
  body: z.object({ usage_api_key: usageKeyHash, expiration: unixSeconds }),
  example: {
    usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    expiration: '1893456000',
  },
  function: 'setUsageApiKeyExpiration',
  args: (key, body) => [key, body.usage_api_key, body.expiration],
});
