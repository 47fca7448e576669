import { expect, test } from 'vitest';
import { expectError, get, read } from '../../../test/stack.ts';

test('200: a JSON string', async () => {
  const body = await read('adminApiPayerAccount', []);
  expect(await get('get_admin_api_payer')).toMatchObject({ status: 200, body });
});

test('503: a block that the chain does not have', async () => {
  expectError(await get('get_admin_api_payer', undefined, { 'X-Min-Block': '99999999' }), 503);
});
