import { get, read } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with the limits of a run', async () => {
  expect(await get('get_svc_action_client_config')).toMatchObject({
    status: 200,
    body: {
      timeout_ms: expect.any(Number),
      memory_limit_mb: expect.any(Number),
      max_code_length: 16 * 1024 * 1024,
      max_response_length: 100 * 1024,
      max_console_log_length: 100 * 1024,
      max_fetch_count: 50,
      max_get_keys_count: 10,
      max_transaction_count: 50,
      max_js_params_length: 1024 * 1024,
      receipt_signer: await read('nodeConfigurationValue', ['receipt-signer']),
    },
  });
});
