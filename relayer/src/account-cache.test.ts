import { expect, test } from 'vitest';
import { createAccountCache } from './account-cache.ts';

test('a key that changes its account is dropped with the new account only', () => {
  const cache = createAccountCache<string, { account: bigint }>({ max: 10 });
  cache.set('key', { account: 1n });
  cache.set('key', { account: 2n });
  cache.drop(1n);
  expect(cache.get('key')).toEqual({ account: 2n });
  cache.drop(2n);
  expect(cache.get('key')).toBeUndefined();
});
