import { describeBadBodies, expectError, post, stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const vectors: [string, string][] = [
  ['', 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
  ['hello world', 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
  ['hello world\n', 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'],
  ['a'.repeat(300_000), 'QmYCTciJdFNMNUPCHSNS6dKMmUAqkGQ9tQQeGgbELhQQcn'],
];

test.each(vectors)('200: %.20j', async (code, cid) => {
  expect(await post('get_svc_action_ipfs_id', code)).toMatchObject({ status: 200, body: cid });
});

test.each(['{', '"a', "'a'"])('returns 400 when %s is not JSON', async (body) => {
  const response = await fetch(`${stack.url}/core/v1/get_svc_action_ipfs_id`, { method: 'POST', body });
  expectError({ status: response.status, body: await response.json(), headers: response.headers }, 400);
});

test('returns 413 above 10 MiB', async () => {
  expectError(await post('get_svc_action_ipfs_id', 'a'.repeat(10 * 1024 * 1024)), 413);
});

describeBadBodies('get_svc_action_ipfs_id', 422, () => undefined, [{}, 5, null, ['a'], { code: 'a' }]);
