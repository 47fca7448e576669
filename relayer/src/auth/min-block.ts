import type { Chain } from '@latchkey/chain/chain';
import { BlockNotReachedError } from '@latchkey/chain/head-watcher';
import { badRequest, clientNetwork, HttpError, tooManyRequests } from '@latchkey/http';

const MAX_WAITS_PER_ADDRESS = 100;
const RETRY_AFTER_SEC = 1;

/**
 * Returns the wait for the `X-Min-Block` of a request. A block that was seen costs no call; all waits share one poll.
 * Throws 400 for a block that is far ahead, and 429 for a block that does not arrive or too many waits per address.
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
      throw tooManyRequests('Too many requests from this address are waiting for a block.', RETRY_AFTER_SEC);
    waits.set(network, others + 1);
    try {
      await chain.reach(block);
    } catch (error) {
      throw error instanceof BlockNotReachedError ? toHttpError(error) : error;
    } finally {
      const left = (waits.get(network) ?? 0) - 1;
      if (left > 0) waits.set(network, left);
      else waits.delete(network);
    }
  };
}

function toHttpError({ isFarAhead }: BlockNotReachedError): HttpError {
  const fix = 'Send the block number that the relayer returned in X-Block-Number.';
  return isFarAhead
    ? badRequest('headers.x-min-block: the block is too far ahead of the chain', { fix })
    : new HttpError('too_many_requests', 'The chain has not reached the block in X-Min-Block.', {
        fix,
        retryAfterSec: RETRY_AFTER_SEC,
      });
}
