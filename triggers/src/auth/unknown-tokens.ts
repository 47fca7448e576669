import { countMisses, createPacedLimit } from '@latchkey/http';
import { createAskTogether } from '@latchkey/service/ask-together';
import { LRUCache } from 'lru-cache';
import { hashToken } from './secrets.ts';

const MAX_KNOWN = 10_000;

/**
 * Runs `find`, the lookup of a token or of the secret of a session, and counts it for the address when it finds nothing. Concurrent
 * requests with one token share a lookup that begins after them. Rejects with 429 for an address with too many.
 */
export type FindToken = <Found>(
  token: string,
  /** Kind of caller that `find` looks for. Lookups of one kind have one result type. */
  sought: 'user' | 'person' | 'browser',
  ip: string,
  find: () => Promise<Found | undefined>,
) => Promise<Found | undefined>;

/** Tokens that this process has found are exempt, so that an attacker cannot lock out a caller behind the same address. */
export function limitUnknownTokens(perMinutePerAddress: number): FindToken {
  const limit = createPacedLimit({
    name: 'unknown-tokens',
    points: perMinutePerAddress,
    leastPerSecond: 10,
    message: 'Too many requests with unknown tokens from this address.',
  });
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  const together = createAskTogether();
  return async (token, sought, ip, find) => {
    const hash = hashToken(token);
    const ask = () => together(`${sought} ${hash}`, find);
    const found = known.get(hash) ? await ask() : await countMisses(limit, ip, ask);
    if (found === undefined) known.delete(hash);
    else known.set(hash, true);
    return found;
  };
}
