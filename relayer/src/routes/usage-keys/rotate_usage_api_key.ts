import { newKeyHash, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { hashText } from '../../db/text.ts';
import { defineWrite } from '../define-write.ts';

export const rotateUsageApiKey = defineWrite({
  path: 'rotate_usage_api_key',
  tag: 'usage-keys',
  summary: 'Replaces a usage key',
  description:
    'Permissions, expiration, labels and caps stay. The old key is refused from the next request on and can never be used again. The ' +
    'caller makes the new key. Triggers keep the old key: give them the new one with PATCH /api/triggers/:id of the trigger service.',
  auth: 'accountKey',
  body: z.object({ usage_api_key: usageKeyHash, new_usage_api_key: newKeyHash }),
  example: {
    usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    new_usage_api_key: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
  },
  function: 'rotateUsageApiKey',
  args: (key, body) => [key, body.usage_api_key, body.new_usage_api_key],
  capsChange: (body) => ({ key: hashText(body.new_usage_api_key), from: hashText(body.usage_api_key) }),
});
