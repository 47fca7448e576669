import { addUsageKey, expectError, expectWritten, get, newAccount, post } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';
import { CENT, readCredit } from '../../../test/credit.ts';

test('returns 200; all keys are 401 from the very next request, and new keys work', async () => {
  const { key } = await newAccount();
  const usageKeys = [await addUsageKey(key), await addUsageKey(key, { can_create_groups: true })];
  for (const usageKey of usageKeys) expect((await get('list_groups', usageKey)).status).toBe(200);
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const credit = await readCredit({ 'X-Api-Key': key });
  for (let i = 0; i < 2; i++) expectWritten(await post('remove_all_usage_api_keys', {}, key, headers));
  expect(await readCredit({ 'X-Api-Key': key })).toBe(credit - CENT);
  for (const usageKey of usageKeys) expectError(await get('list_groups', usageKey), 401);
  expect((await get('list_api_keys', key)).body).toEqual([]);
  const next = await addUsageKey(key);
  expect((await get('list_groups', next)).status).toBe(200);
  expect((await get('list_api_keys', key)).body).toHaveLength(1);
});

test('returns 403 for a usage key, and leaves the keys of other accounts alone', async () => {
  const { key } = await newAccount();
  const usageKey = await addUsageKey(key);
  expectError(await post('remove_all_usage_api_keys', {}, usageKey), 403);
  const other = await newAccount();
  expectWritten(await post('remove_all_usage_api_keys', {}, other.key));
  expect((await get('list_groups', usageKey)).status).toBe(200);
});
