import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * 1024 * 1024;

/** Codes of the latest runs by CID, so that a relayer sends each of them once. */
export type ActionCodes = {
  get: (cid: string) => Uint8Array | undefined;
  /** Returns the kept code. */
  keep: (cid: string, code: Uint8Array) => Uint8Array;
};

export function createActionCodes(): ActionCodes {
  const codes = new LRUCache<string, Uint8Array>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  return {
    get: (cid) => codes.get(cid),
    keep(cid, code) {
      // A copy: the code is a part of its message, which has the parameters of the run too.
      const own = Uint8Array.from(code);
      codes.set(cid, own);
      return own;
    },
  };
}
