import { badRequest, clientNetwork, HttpError, tooManyRequests } from '@latchkey/http';
import type { Chain } from '../chain/chain.ts';
import { BlockNotReachedError } from '../chain/head-watcher.ts';

const MAX_WAITS_PER_ADDRESS = 100;
const RETRY_AFTER_SEC = 1;

/**
 * Returns the wait for the `X-Min-Block` of a request. It asks nothing for a block that was seen, and shares one poll
 * with all others. A block that is far ahead is 400; one that does not come, and one wait too many of an address, 429.
 */
export function createMinBlockWait(
  chain: Pick<Chain, 'head' | 'reach'>,
): (block: bigint, ip: string) => Promise<void> {
  const waits = new Map<string, number>();
  return async (block, ip) => {
    if (block <= chain.head()) return;
    const network = clientNetwork(ip);
    const others = waits.get(network) ?? 0;
    if (others >= MAX_WAITS_PER_ADDRESS)
      throw tooManyRequests('Too many requests from this address wait for a block.', RETRY_AFTER_SEC);
    waits.set(network, others + 1);
    try {
      await chain.reach(block);
    } catch (error) {
      throw error instanceof BlockNotReachedError ? refusalOf(error) : error;
    } finally {
      const left = (waits.get(network) ?? 0) - 1;
      if (left > 0) waits.set(network, left);
      else waits.delete(network);
    }
  };
}

function refusalOf({ isFarAhead }: BlockNotReachedError): HttpError {
  const fix = 'Send the block that a reply of this relayer named in X-Block-Number.';
  return isFarAhead
    ? badRequest('headers.x-min-block: this block is too far ahead of the chain', { fix })
    : new HttpError('too_many_requests', 'The chain has not reached the block in X-Min-Block.', {
        fix,
        retryAfterSec: RETRY_AFTER_SEC,
      });
}
