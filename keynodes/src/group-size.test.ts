import { expect, test } from 'vitest';
import { requireGroupSize } from './group-size.ts';
import { generateGroup } from './testing.ts';

const shareOf = (threshold: number, n: number) => generateGroup(threshold, n)[0] ?? null;

test.each([
  [1, 1],
  [1, 3],
  [2, 2],
  [3, 4],
])(
  'a node with a share of a group of threshold %s and %s nodes starts on the local chain only',
  (threshold, n) => {
    const held = shareOf(threshold, n);
    for (const state of [
      { current: held, next: null },
      { current: shareOf(2, 3), next: held },
    ]) {
      expect(() => requireGroupSize(state, 1)).toThrow(`a group with threshold ${threshold}`);
      expect(() => requireGroupSize(state, 31_337)).not.toThrow();
    }
  },
);

test.each([
  [2, 3],
  [2, 5],
  [3, 5],
])('a node with a share of a group of threshold %s and %s nodes starts', (threshold, n) => {
  expect(() => requireGroupSize({ current: shareOf(threshold, n), next: null }, 1)).not.toThrow();
  expect(() => requireGroupSize({ current: null, next: null }, 1)).not.toThrow();
});
