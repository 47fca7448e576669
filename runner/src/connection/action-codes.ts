import { isCidOf } from '@latchkey/protocol';
import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * 1024 * 1024;

/** Codes of the latest runs by CID, so that a relayer sends each of them once. */
export type ActionCodes = {
  get: (cid: string) => Uint8Array | undefined;
  /** Returns the kept code. Rejects code that does not have the CID: all relayers share the kept codes. */
  keep: (cid: string, code: Uint8Array) => Promise<Uint8Array>;
};

/** The kept bytes are hashed once: they are in the memory of this process alone, and nothing writes to them. */
export function createActionCodes(): ActionCodes {
  const codes = new LRUCache<string, Uint8Array>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length + 1,
  });
  return {
    get: (cid) => codes.get(cid),
    async keep(cid, code) {
      // A copy: the code is a view of its message, which also has the parameters of the run.
      const own = Uint8Array.from(code);
      if (!(await isCidOf(cid, own))) throw new Error(`the code does not have the CID ${cid}`);
      codes.set(cid, own);
      return own;
    },
  };
}
