import { describe, expect, test } from 'vitest';
import { accountKeyOf, fromStored, KEY_PATH, toConcurrencyKey, toStored } from './concurrency-key.ts';

const input = {
  event: { id: 7, text: '7', items: [{ sku: 'a' }], nothing: null, order: { b: 1 } },
  headers: { 'x-event': ['push'] },
};
const key = (path: string) => toConcurrencyKey(path, input);

test('is equal for equal values and different for others', () => {
  expect(key('event.id')).toBe(toConcurrencyKey('event.id', { event: { id: 7 } }));
  expect(key('event.items.0.sku')).toBe(toConcurrencyKey('a', { a: 'a' }));
  expect(key('headers.x-event.0')).toBe(toConcurrencyKey('a', { a: 'push' }));
  expect(new Set(['event.id', 'event.text', 'event.order', 'event.items'].map(key)).size).toBe(4);
});

test.each([
  'event.missing',
  'event.nothing',
  'event.id.x',
  'event.toString',
  '__proto__',
  'event.items.length.x',
])('%s has no key', (path) => {
  expect(key(path)).toBeNull();
});

test('no path has no key', () => {
  expect(toConcurrencyKey(null, input)).toBeNull();
});

test.each(['', '.', 'a.', '.a', 'a..b', 'a\0', Array(11).fill('a').join('.')])('%j is not a path', (path) => {
  expect(KEY_PATH.test(path)).toBe(false);
});

test.each([
  ['event.id', 'event.id'],
  [{ path: 'event.id', scope: 'trigger' }, 'event.id'],
  [
    { path: 'event.id', scope: 'account' },
    { path: 'event.id', scope: 'account' },
  ],
  [{ value: '.account.x' }, { value: '.account.x' }],
] as const)('%j is shown as %j', (given, shown) => {
  expect(fromStored(toStored(given))).toEqual(shown);
});

describe('a key of the account', () => {
  const ofPath = (path: string) =>
    accountKeyOf(toConcurrencyKey(toStored({ path, scope: 'account' }), input));

  test('is the value as text, which a direct run can name', () => {
    expect(ofPath('event.text')).toBe('7');
    expect(ofPath('event.id')).toBe('7');
    expect(ofPath('event.order')).toBe('{"b":1}');
    expect(accountKeyOf(toConcurrencyKey(toStored({ value: '0x1f' }), {}))).toBe('0x1f');
  });

  test('is a hash of a long value', () => {
    const key = (text: string) => accountKeyOf(toConcurrencyKey('.account.a', { a: text }));
    expect(key('x'.repeat(200))).toBe('x'.repeat(200));
    expect(key('x'.repeat(201))).toHaveLength(43);
    expect(key('x'.repeat(201))).not.toBe(key('x'.repeat(202)));
  });

  test('differs from keys of triggers, whatever their values', () => {
    expect(accountKeyOf(toConcurrencyKey('a', { a: 'account 0x1f' }))).toBeNull();
    expect(ofPath('event.missing')).toBeNull();
  });
});
