import { expect, test } from 'vitest';
import { KEY_PATH, toConcurrencyKey } from './concurrency-key.ts';

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
