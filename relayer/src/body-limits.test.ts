import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { routes } from './routes/index.ts';

const KIB = 1_024;
const limits = routes
  .map(({ path, auth, bodyLimitBytes = 16 * KIB }) => ({ path, auth, kib: bodyLimitBytes / KIB }))
  .filter(({ kib }) => kib > 16);

test('only these routes accept a body above 16 KiB', () => {
  const lines = limits.map(({ path, auth, kib }) => `${path.replace('/core/v1/', '')} ${auth} ${kib} KiB`);
  expect(lines.sort()).toEqual([
    'add_usage_api_key_with_signature none 64 KiB',
    'billing/webhook none 256 KiB',
    'convert_to_chain_secured_account consentingKey 64 KiB',
    'create_wallet_with_signature none 64 KiB',
    'get_svc_action_ipfs_id none 10240 KiB',
    'send_transaction runKey 192 KiB',
    'set_secret accountKeyOrWallet 96 KiB',
    'store_action_code accountKeyOrWallet 10240 KiB',
    'submit_signed_write none 512 KiB',
    'svc_action runKey 10240 KiB',
  ]);
});

test('no budget of bodies in flight can be set below the longest body', () => {
  const longestBytes = Math.max(...limits.map(({ kib }) => kib)) * KIB;
  for (const name of ['BODY_BYTES_IN_FLIGHT_PER_ADDRESS', 'ANONYMOUS_BODY_BYTES_PER_MINUTE']) {
    expect(() => loadConfig({ [name]: String(longestBytes) })).not.toThrow();
    expect(() => loadConfig({ [name]: String(longestBytes - 1) })).toThrow(name);
  }
});
