/** Numbers that a seed determines. */
export interface Random {
  /** Returns an integer from 0 to `bound` - 1. */
  int(bound: number): number;
  chance(probability: number): boolean;
  /** Returns an element of a list that is not empty. */
  pick<T>(values: readonly T[]): T;
}

/** mulberry32, seeded with a mix of both numbers. */
export function randomOf(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (bound: number) => next() % bound;
  return {
    int,
    chance: (probability) => next() < probability * 2 ** 32,
    pick: <T>(values: readonly T[]): T => {
      if (values.length === 0) throw new Error('nothing to pick from');
      return values[int(values.length)] as T;
    },
  };
}
