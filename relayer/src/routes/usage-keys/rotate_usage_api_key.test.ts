import { apiKeyHash } from '@latchkey/protocol';
import {
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const rotate = (accountKey: string, old: string, next: string, headers?: Record<string, string>) =>
  post('rotate_usage_api_key', { usage_api_key: old, new_usage_api_key: next }, accountKey, headers);
const listed = async (accountKey: string): Promise<{ api_key_hash: string }[]> =>
  (await get('list_api_keys', accountKey)).body as { api_key_hash: string }[];

const account = await newAccount();

test('returns 200; the new key has permissions, labels and caps of the old one, which is 401', async () => {
  const { key } = await newAccount();
  const caps = { spend_cap_cents: 7, spend_window_seconds: 60, max_concurrency: 2 };
  const fields = { name: 'runner', can_create_groups: true, expiration: '4102444800', ...caps };
  const old = await addUsageKey(key, fields);
  const [before] = await listed(key);
  const next = newKeyText();
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  expectWritten(await rotate(key, old, next, headers));
  expectWritten(await rotate(key, old, next, headers));
  expectError(await get('list_groups', old), 401);
  expect((await get('list_groups', next)).status).toBe(200);
  const [after, ...others] = await listed(key);
  expect(others).toEqual([]);
  const hash = hex(apiKeyHash(next));
  expect(after).toEqual({ ...before, id: hash, api_key_hash: hash });
  expect(after).toMatchObject(caps);
});

test('a key takes the hash of a removed one together with its own caps', async () => {
  const { key } = await newAccount();
  const removed = await addUsageKey(key, { spend_cap_cents: 1 });
  expectWritten(await post('remove_all_usage_api_keys', {}, key));
  const old = await addUsageKey(key, { spend_cap_cents: 7 });
  expectWritten(await rotate(key, old, removed));
  expect(await listed(key)).toMatchObject([{ spend_cap_cents: 7 }]);
});

test('returns the new key when the relayer makes it, also to a retry', async () => {
  const { key } = await newAccount();
  const old = await addUsageKey(key);
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const rotateOld = () => post('rotate_usage_api_key', { usage_api_key: old }, key, headers);
  const reply = await rotateOld();
  const { usage_api_key: next } = reply.body as { usage_api_key: string };
  expectWritten(reply, { success: true, usage_api_key: next });
  expectError(await get('list_groups', old), 401);
  expect((await get('list_groups', next)).status).toBe(200);
  expect((await rotateOld()).body).toEqual(reply.body);
});

describe('404 and 409', () => {
  test('an unknown key, a key of another account, a key in use, and the old key again', async () => {
    const { key } = await newAccount();
    const [first, second] = [await addUsageKey(key), await addUsageKey(key)];
    expectError(await rotate(key, newKeyText(), newKeyText()), 404);
    expectError(await rotate(account.key, first, newKeyText()), 404);
    expectError(await rotate(key, first, second), 409);
    const next = newKeyText();
    expectWritten(await rotate(key, first, next));
    expectError(await rotate(key, next, first), 409);
    expectError(await rotate(key, second, first), 409);
  });
});

describeBadBodies('rotate_usage_api_key', 400, () => account.key, [
  { usage_api_key: '', new_usage_api_key: newKeyText() },
  { usage_api_key: 'a', new_usage_api_key: 'guessable' },
]);
describeBadBodies('rotate_usage_api_key', 422, () => account.key, [{}, { new_usage_api_key: newKeyText() }]);

test('returns 403 for a usage key', async () => {
  const usageKey = await addUsageKey(account.key);
  expectError(await rotate(usageKey, usageKey, newKeyText()), 403);
});
