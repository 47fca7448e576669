import { z } from 'zod';
import type { Context } from '../../context.ts';
import { toClientConfig } from '../../runtime/limits.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const getSvcActionClientConfig = defineRoute({
  method: 'GET',
  path: `${prefix}/get_svc_action_client_config`,
  tag: 'actions',
  summary: 'Returns the limits per run',
  description: 'Lengths are UTF-8 bytes.',
  auth: 'none',
  reply: z.object({
    timeout_ms: z.int(),
    memory_limit_mb: z.int(),
    max_code_length: z.int(),
    max_response_length: z.int(),
    max_console_log_length: z.int(),
    max_fetch_count: z.int(),
    max_get_keys_count: z.int(),
    max_js_params_length: z.int(),
  }),
  handle: ({ runLimits }: Pick<Context, 'runLimits'>) => toClientConfig(runLimits),
});
