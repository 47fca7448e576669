import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const open = (max: number) => createConcurrencyLimit({ max, message: 'Too many.' });

test('counts the uses of each id until they are disposed', () => {
  const limit = open(2);
  const [first, second] = [limit.enter('a', 'x'), limit.enter('a', 'x')];
  expect(() => limit.enter('a', 'x')).toThrow('Too many.');
  using _other = limit.enter('b', 'x');
  first[Symbol.dispose]();
  const third = limit.enter('a', 'x');
  expect(() => limit.enter('a', 'x')).toThrow('Too many.');
  second[Symbol.dispose]();
  third[Symbol.dispose]();
  const uses = [limit.enter('a', 'x'), limit.enter('a', 'x')];
  expect(() => limit.enter('a', 'x')).toThrow('Too many.');
  for (const use of uses) use[Symbol.dispose]();
});

test('a holder without a use takes the newest place of the greediest one, which gets 429', () => {
  const limit = open(5);
  const greedy = [0, 1, 2].map(() => limit.enter('a', 'greedy'));
  const other = [0, 1].map(() => limit.enter('a', 'other'));
  using _new = limit.enter('a', 'new');
  expect(greedy.map(({ signal }) => signal.aborted)).toEqual([false, false, true]);
  expect(greedy[2]?.signal.reason).toMatchObject({ status: 429, message: 'Too many.' });
  expect(other.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  // The end of the use that was taken frees no place.
  greedy[2]?.[Symbol.dispose]();
  expect(() => limit.enter('a', 'other')).toThrow('Too many.');
  expect(() => limit.enter('a', 'greedy')).toThrow('Too many.');
});

test('no holder takes a place that it would lose again, and each of few holders has one', () => {
  const step = fc.record({ holder: fc.nat(4), ends: fc.boolean() });
  const holds = (max: number, steps: { holder: number; ends: boolean }[]) => {
    const limit = open(max);
    let uses: { holder: number; use: ReturnType<typeof limit.enter> }[] = [];
    const count = (of: number) => uses.filter(({ holder }) => holder === of).length;
    for (const { holder, ends } of steps) {
      if (ends) {
        const ended = uses.find((each) => each.holder === holder);
        ended?.use[Symbol.dispose]();
        uses = uses.filter((each) => each !== ended);
        continue;
      }
      const holders = new Set(uses.map((each) => each.holder));
      const own = count(holder);
      try {
        uses.push({ holder, use: limit.enter('a', String(holder)) });
      } catch {
        expect(uses).toHaveLength(max);
        expect(Math.max(...uses.map((each) => count(each.holder)))).toBeLessThan(own + 2);
        if (holders.size < max) expect(own).toBeGreaterThan(0);
      }
      const taken = uses.filter(({ use }) => use.signal.aborted);
      expect(taken).toHaveLength(Math.max(0, uses.length - max));
      uses = uses.filter((each) => !taken.includes(each));
      for (const { holder: loser } of taken) expect(count(loser)).toBeGreaterThanOrEqual(count(holder));
    }
  };
  fc.assert(fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), holds));
});
