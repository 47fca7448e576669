import type { RunLimits } from '@latchkey/runner-protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const getSvcActionClientConfig = defineRoute({
  method: 'GET',
  path: `${prefix}/get_svc_action_client_config`,
  tag: 'actions',
  summary: 'Returns the limits per run, and the signer of receipts',
  description:
    'Lengths are UTF-8 bytes. Trust the signer that the contract has: its node configuration `receipt-signer`.',
  auth: 'none',
  reply: z.object({
    timeout_ms: z.int(),
    memory_limit_mb: z.int(),
    max_code_length: z.int(),
    max_response_length: z.int(),
    max_console_log_length: z.int(),
    max_fetch_count: z.int(),
    max_get_keys_count: z.int(),
    max_transaction_count: z.int(),
    max_js_params_length: z.int(),
    receipt_signer: z.string(),
  }),
  handle: ({ runLimits, receipts }: Pick<Context, 'runLimits' | 'receipts'>) => ({
    ...toClientConfig(runLimits),
    receipt_signer: receipts.signer,
  }),
});

/** Returns the limits under their names on the wire. */
function toClientConfig(limits: RunLimits) {
  return {
    timeout_ms: limits.timeoutMs,
    memory_limit_mb: limits.memoryLimitMb,
    max_code_length: limits.maxCodeBytes,
    max_response_length: limits.maxResponseBytes,
    max_console_log_length: limits.maxConsoleBytes,
    max_fetch_count: limits.maxFetches,
    max_get_keys_count: limits.maxKeyOperations,
    max_transaction_count: limits.maxTransactions,
    max_js_params_length: limits.maxParamsBytes,
  };
}
