import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

test('counts the uses of each id until they are disposed', () => {
  const limit = createConcurrencyLimit({ max: 2, message: 'Too many.' });
  const [first, second] = [limit.enter('a'), limit.enter('a')];
  expect(() => limit.enter('a')).toThrow('Too many.');
  using _other = limit.enter('b');
  first[Symbol.dispose]();
  const third = limit.enter('a');
  expect(() => limit.enter('a')).toThrow('Too many.');
  second[Symbol.dispose]();
  third[Symbol.dispose]();
  const uses = [limit.enter('a'), limit.enter('a')];
  expect(() => limit.enter('a')).toThrow('Too many.');
  for (const use of uses) use[Symbol.dispose]();
});
