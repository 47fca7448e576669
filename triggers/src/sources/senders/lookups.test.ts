import { expect, test, vi } from 'vitest';
import { createLookups } from './lookups.ts';

const value = { key: 1 };

test('concurrent requests of a name ask once, and all get the value', async () => {
  const find = createLookups<object>('no key');
  const ask = vi.fn(async () => value);
  const found = await Promise.all(Array.from({ length: 5 }, () => find('scope', 'a', ask)));
  expect(found).toEqual(Array.from({ length: 5 }, () => value));
  expect(await find('scope', 'a', ask)).toBe(value);
  expect(ask).toHaveBeenCalledOnce();
});

test('a name that the sender does not have is asked for once a minute', async () => {
  const find = createLookups<object>('no key');
  const ask = vi.fn(async () => undefined);
  for (let i = 0; i < 3; i++) expect(await find('scope', 'a', ask)).toBeUndefined();
  expect(ask).toHaveBeenCalledOnce();
});

test('a flood of names in one scope is refused, and ends the lookups of no other', async () => {
  const find = createLookups<object>('no key');
  const none = vi.fn(async () => undefined);
  await find('victim', 'known', async () => value);
  const flood = Array.from({ length: 100 }, (_, n) =>
    find('victim', `name ${n}`, none).catch((e) => e.message),
  );
  expect((await Promise.all(flood)).filter((reply) => reply === 'no key')).toHaveLength(90);
  expect(none).toHaveBeenCalledTimes(10);
  expect(await find('victim', 'known', none)).toBe(value);
  expect(await find('other', 'a', async () => value)).toBe(value);
});

test('a sender that does not answer is asked again', async () => {
  const find = createLookups<object>('no key');
  await expect(find('scope', 'a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await find('scope', 'a', async () => value)).toBe(value);
});
