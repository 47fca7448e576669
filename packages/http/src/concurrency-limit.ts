import { tooManyRequests } from './errors.ts';

/** Limits the number of concurrent uses per id, in this process. */
export function createConcurrencyLimit({ max, message }: { max: number; message: string }) {
  const counts = new Map<string, number>();
  return {
    /** Counts one more use by `id` until it is disposed. Throws 429 above the limit. */
    enter(id: string): Disposable {
      const count = counts.get(id) ?? 0;
      if (count >= max) throw tooManyRequests(message, 1);
      counts.set(id, count + 1);
      return {
        [Symbol.dispose]() {
          const left = (counts.get(id) ?? 1) - 1;
          if (left === 0) counts.delete(id);
          else counts.set(id, left);
        },
      };
    },
  };
}
