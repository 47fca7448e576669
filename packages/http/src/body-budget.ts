import { clientNetwork } from './client-network.ts';
import { HttpError, tooManyRequests } from './errors.ts';
import { createRateLimit } from './rate-limit.ts';

/** Bodies of routes with a higher limit count in the budget. Smaller bodies never wait for it. */
export const LARGE_BODY_BYTES = 64 * 1024;
const RETRY_AFTER_SEC = 1;

export type BodyLimits = {
  /** Maximum bytes of large bodies in flight per client address. */
  bytesInFlightPerAddress: number;
  /** Maximum bytes of large bodies in flight in total. */
  bytesInFlight: number;
  /** Maximum bytes of large bodies per minute and client address, on routes without authentication. */
  anonymousBytesPerMinute: number;
};

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytesInFlightPerAddress: 32 * 1024 * 1024,
  bytesInFlight: 128 * 1024 * 1024,
  anonymousBytesPerMinute: 64 * 1024 * 1024,
};

/** The share of one body in the budget. */
type BodyShare = {
  /** Counts received bytes. Throws 429 over the limit per address and 503 over the total. */
  add: (bytes: number) => void;
  /** Releases the counted bytes. Call when the body is decoded or abandoned. */
  release: () => void;
};

export type BodyBudget = {
  /**
   * Opens the share of one body. `announcedBytes` is its Content-Length, or the limit of its route when there is none.
   */
  open: (request: { ip: string; isAnonymous: boolean; announcedBytes: number }) => Promise<BodyShare>;
};

/** Limits the bytes of large bodies that this process receives concurrently, per client network and in total. */
export function createBodyBudget(limits: BodyLimits): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;
  const anonymousBytes = createRateLimit({
    name: 'body-bytes',
    points: limits.anonymousBytesPerMinute,
    message: 'Too many bytes of request bodies from this address.',
  });
  return {
    async open({ ip, isAnonymous, announcedBytes }) {
      const network = clientNetwork(ip);
      if (isAnonymous) await anonymousBytes.take(network, announcedBytes);
      // Anonymous callers share half of the budget; the other half is for authenticated callers.
      const ceiling = isAnonymous ? limits.bytesInFlight / 2 : limits.bytesInFlight;
      let own = 0;
      return {
        add(bytes) {
          const ofNetwork = (held.get(network) ?? 0) + bytes;
          if (ofNetwork > limits.bytesInFlightPerAddress)
            throw tooManyRequests(
              'Too many bytes of request bodies in flight from this address.',
              RETRY_AFTER_SEC,
            );
          if (total + bytes > ceiling)
            throw new HttpError('service_unavailable', 'too many bytes of request bodies in flight', {
              retryAfterSec: RETRY_AFTER_SEC,
            });
          held.set(network, ofNetwork);
          total += bytes;
          own += bytes;
        },
        release() {
          const left = (held.get(network) ?? 0) - own;
          if (left > 0) held.set(network, left);
          else held.delete(network);
          total -= own;
          own = 0;
        },
      };
    },
  };
}
