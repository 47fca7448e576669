import { expectError, get, read } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('200: the api payers of the contract', async () => {
  expect(await get('get_api_payers')).toMatchObject({ status: 200, body: await read('api_payers', []) });
});

test('400: X-Min-Block is no number', async () => {
  expectError(await get('get_api_payers', undefined, { 'X-Min-Block': 'latest' }), 400);
});

test('400: a block that is far ahead of the chain', async () => {
  expectError(await get('get_api_payers', undefined, { 'X-Min-Block': '99999999' }), 400);
});
