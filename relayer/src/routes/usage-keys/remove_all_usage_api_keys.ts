import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const removeAllUsageApiKeys = defineWrite({
  path: 'remove_all_usage_api_keys',
  tag: 'usage-keys',
  summary: 'Removes all usage keys',
  description: 'The keys are refused from the next request on.',
  auth: 'accountKey',
  body: z.strictObject({}),
  namesNothing: true,
  example: {},
  function: 'removeAllUsageApiKeys',
  args: (key) => [key],
});
