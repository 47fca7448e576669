import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * 1024 * 1024;

/** Codes of the latest runs by CID, so that a relayer sends each of them once. */
export type ActionCodes = {
  get: (cid: string) => Uint8Array | undefined;
  /** Returns the code. */
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
      codes.set(cid, code);
      return code;
    },
  };
}
