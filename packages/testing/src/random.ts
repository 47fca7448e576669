import fc from 'fast-check';

/** Returns an integer from 0 up to, but excluding, the limit. */
export type Random = (below: number) => number;

/** Returns a generator of integers that depend on the seed only. */
export function randomFrom(seed: number): Random {
  const generator = fc.sample(fc.infiniteStream(fc.nat(0x7fff_ffff)), {
    seed,
    numRuns: 1,
  })[0] as Iterator<number>;
  return (below) => (generator.next().value as number) % below;
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T;
