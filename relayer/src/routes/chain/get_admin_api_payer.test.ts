import { expectError, get, read } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('200: a JSON string', async () => {
  const body = await read('adminApiPayerAccount', []);
  expect(await get('get_admin_api_payer')).toMatchObject({ status: 200, body });
});

test('400: a block that is far ahead of the chain', async () => {
  expectError(await get('get_admin_api_payer', undefined, { 'X-Min-Block': '99999999' }), 400);
});
