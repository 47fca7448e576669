import { expectError, get, read } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with a JSON string', async () => {
  const body = await read('adminApiPayerAccount', []);
  expect(await get('get_admin_api_payer')).toMatchObject({ status: 200, body });
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await get('get_admin_api_payer', undefined, { 'X-Min-Block': '99999999' }), 400);
});
