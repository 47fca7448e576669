import { cidOf } from '@latchkey/protocol';
import { LRUCache } from 'lru-cache';

/** V8 hashes a longer text by its length alone, so a cache of long texts of one length would compare them with each other. */
const MAX_CHARS = 16_000;
const MAX_CHARS_IN_ALL = 16 * 1024 * 1024;

const known = new LRUCache<string, string>({
  maxSize: MAX_CHARS_IN_ALL,
  sizeCalculation: (_cid, code) => code.length,
});

/** Returns the CID of code, as `cidOf` does. Remembers the CIDs of short code: the same code is often sent with each run. */
export async function knownCidOf(code: string): Promise<string> {
  const found = known.get(code);
  if (found !== undefined) return found;
  const cid = await cidOf(code);
  if (code.length > 0 && code.length <= MAX_CHARS) known.set(code, cid);
  return cid;
}
