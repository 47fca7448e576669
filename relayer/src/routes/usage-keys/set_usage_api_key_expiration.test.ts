import {
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  newAccount,
  post,
} from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const set = (accountKey: string, usageKey: string, expiration: string) =>
  post('set_usage_api_key_expiration', { usage_api_key: usageKey, expiration }, accountKey);

const account = await newAccount();

test('returns 200; an expired key is 401, and works again after a later expiration', async () => {
  const usageKey = await addUsageKey(account.key, { name: 'kept', can_create_groups: true });
  const list = async () =>
    ((await get('list_api_keys', account.key)).body as { name: string }[]).find(
      ({ name }) => name === 'kept',
    );
  const before = await list();
  expectWritten(await set(account.key, usageKey, '1'));
  expectError(await get('list_groups', usageKey), 401);
  expectWritten(await set(account.key, usageKey, '4102444800'));
  expect((await get('list_groups', usageKey)).status).toBe(200);
  expect(await list()).toEqual({ ...before, expiration: '4102444800' });
});

test('returns 404 for a key of another account, and 403 for a usage key', async () => {
  const usageKey = await addUsageKey(account.key);
  const other = await newAccount();
  expectError(await set(other.key, usageKey, '1'), 404);
  expectError(await set(usageKey, usageKey, '0'), 403);
});

describeBadBodies('set_usage_api_key_expiration', 400, () => account.key, [
  { usage_api_key: 'a', expiration: '-1' },
]);
describeBadBodies('set_usage_api_key_expiration', 422, () => account.key, [{}, { usage_api_key: 'a' }]);
