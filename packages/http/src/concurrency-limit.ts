import { tooManyRequests } from './errors.ts';

type Use = Disposable & {
  /** Aborted with a 429 when another holder needs the place. */
  signal: AbortSignal;
};

/** Limits the number of concurrent uses per id, in this process, and shares them between the holders of an id. */
export function createConcurrencyLimit({ max, message }: { max: number; message: string }) {
  const refusal = () => tooManyRequests(message, 1);
  /** The uses of each id, the oldest first. */
  const usesOf = new Map<string, { holder: string; end: AbortController }[]>();
  return {
    /**
     * Counts one more use of `id` until it is disposed. Above the limit the newest use of the holder with the most ends, when that one has at
     * least two more than this holder: otherwise throws 429.
     */
    enter(id: string, holder: string): Use {
      const uses = usesOf.get(id) ?? [];
      if (uses.length >= max) {
        const count = (of: string) => uses.filter((use) => use.holder === of).length;
        const newest = uses.toReversed().toSorted((a, b) => count(b.holder) - count(a.holder))[0];
        if (!newest || count(newest.holder) < count(holder) + 2) throw refusal();
        uses.splice(uses.indexOf(newest), 1);
        newest.end.abort(refusal());
      }
      const use = { holder, end: new AbortController() };
      uses.push(use);
      usesOf.set(id, uses);
      return {
        signal: use.end.signal,
        [Symbol.dispose]() {
          if (uses.includes(use)) uses.splice(uses.indexOf(use), 1);
          if (uses.length === 0) usesOf.delete(id);
        },
      };
    },
  };
}
