import { unixSeconds, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { encodeWrite } from '../../chain/account-config.ts';
import {
  capFields,
  capsChange,
  optionalDescription,
  optionalName,
  permissionArguments,
  permissionFields,
  windowHasCap,
} from '../define-route.ts';
import { defineWrite } from '../define-write.ts';

export const updateUsageApiKey = defineWrite({
  path: 'update_usage_api_key',
  tag: 'usage-keys',
  summary: 'Replaces a usage key',
  description:
    'Omitted fields are reset to their defaults, including the caps. The amount that the key has spent in its window stays.',
  auth: 'accountKey',
  body: z
    .object({
      usage_api_key: usageKeyHash,
      name: optionalName,
      description: optionalDescription,
      expiration: unixSeconds.prefault('0'),
      ...permissionFields,
      ...capFields,
    })
    .refine(...windowHasCap),
  example: {
    usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    name: 'runner',
    execute_in_groups: ['1', '2'],
  },
  function: 'multicall',
  // setUsageApiKey alone would add an unknown key; the first call refuses it.
  args: (key, { usage_api_key: usageKey, name, description, expiration, ...permissions }) => [
    [
      encodeWrite('updateUsageApiKeyMetadata', [key, usageKey, name, description]),
      encodeWrite('setUsageApiKey', [
        key,
        usageKey,
        expiration,
        0n,
        name,
        description,
        ...permissionArguments(permissions),
      ]),
    ],
  ],
  capsChange: (body) => capsChange(body.usage_api_key, body),
});
