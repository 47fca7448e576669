import { apiKeyHash } from '@latchkey/protocol';
import { describe, expect, test } from 'vitest';
import { apiKeyFromHeaders, requestKeyHash, requireApiKey } from './api-key.ts';

describe('apiKeyFromHeaders', () => {
  test.each([
    [{ authorization: 'Bearer K' }, 'K'],
    [{ authorization: 'bEARER \t K ' }, 'K'],
    [{ 'x-api-key': '  K ' }, 'K'],
    [{ authorization: 'Bearer first', 'x-api-key': 'second' }, 'first'],
    [{ authorization: 'Bearer ', 'x-api-key': 'second' }, 'second'],
    [{ authorization: 'Basic dTpw', 'x-api-key': 'second' }, 'second'],
    [{ authorization: 'BearerK' }, undefined],
    [{ authorization: 'Bearer' }, undefined],
    [{ 'x-api-key': '   ' }, undefined],
    [{ authorization: 'Bearer\xa0K' }, undefined],
    [{ authorization: 'Bearer \xa0K' }, '\xa0K'],
    [{ 'x-api-key': '\xa0K\xa0' }, '\xa0K\xa0'],
    [{}, undefined],
  ])('%j → %s', (headers, key) => expect(apiKeyFromHeaders(headers)).toBe(key));
});

describe('requireApiKey throws 401', () => {
  test.each([
    ['without a key', {}],
    ['with a hash', { 'x-api-key': `0x${'a'.repeat(64)}` }],
    ['with a hash in upper case', { authorization: `Bearer 0X${'A'.repeat(64)}` }],
  ])('%s', (_, headers) =>
    expect(() => requireApiKey(headers)).toThrow(expect.objectContaining({ status: 401 })),
  );

  test('never repeats the credential', () => {
    const sent = `0x${'b'.repeat(64)}`;
    expect(() => requireApiKey({ 'x-api-key': sent })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(sent) }),
    );
  });
});

test('requestKeyHash is apiKeyHash, also for a key that it knows, and for another key of the same headers', () => {
  const keys = ['first', 'second', 'first'];
  const shared = {};
  expect(keys.map((key) => requestKeyHash({ 'x-api-key': key }, key))).toEqual(keys.map(apiKeyHash));
  expect(keys.map((key) => requestKeyHash(shared, key))).toEqual(keys.map(apiKeyHash));
});
