import { expectError, get, read } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with the api payers of the contract', async () => {
  expect(await get('get_api_payers')).toMatchObject({ status: 200, body: await read('api_payers', []) });
});

test('returns 400 for a malformed X-Min-Block', async () => {
  expectError(await get('get_api_payers', undefined, { 'X-Min-Block': 'latest' }), 400);
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await get('get_api_payers', undefined, { 'X-Min-Block': '99999999' }), 400);
});
