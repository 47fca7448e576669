import { description, name, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const updateUsageApiKeyMetadata = defineWrite({
  path: 'update_usage_api_key_metadata',
  tag: 'usage-keys',
  summary: 'Replaces the labels of a usage key',
  auth: 'accountKey',
  body: z.object({ usage_api_key: usageKeyHash, name, description }),
  example: {
    usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    name: 'runner',
    description: 'Runs the signer',
  },
  function: 'updateUsageApiKeyMetadata',
  args: (key, body) => [key, body.usage_api_key, body.name, body.description],
});
