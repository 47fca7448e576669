import { clientNetwork } from './client-network.ts';
import { HttpError, tooManyRequests } from './errors.ts';
import { createRateLimit } from './rate-limit.ts';

/** Bodies of routes with a larger limit count in the budget; smaller ones never wait for it. */
export const LARGE_BODY_BYTES = 64 * 1024;
const RETRY_AFTER_SEC = 1;

export type BodyLimits = {
  /** Bytes of large bodies that one client address may have in flight. */
  bytesInFlightPerAddress: number;
  /** Bytes of large bodies in flight altogether. */
  bytesInFlight: number;
  /** Bytes of large bodies that one address may send in a minute to routes without authentication. */
  anonymousBytesPerMinute: number;
};

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytesInFlightPerAddress: 32 * 1024 * 1024,
  bytesInFlight: 128 * 1024 * 1024,
  anonymousBytesPerMinute: 64 * 1024 * 1024,
};

/** The bytes of one body. */
export type BodyShare = {
  /** Counts bytes that arrived; throws 429 over the share of the address, 503 over the whole budget. */
  add: (bytes: number) => void;
  /** Frees what was counted. Call once the body is decoded or given up. */
  release: () => void;
};

export type BodyBudget = {
  /** Opens the share of one body. `announcedBytes` is its length, or the limit of its route when it does not say. */
  open: (request: { ip: string; isAnonymous: boolean; announcedBytes: number }) => Promise<BodyShare>;
};

/** The bytes of large bodies that this process receives at once, by client network and altogether. */
export function createBodyBudget(limits: BodyLimits): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;
  const anonymousBytes = createRateLimit({
    points: limits.anonymousBytesPerMinute,
    message: 'Too many bytes of request bodies from this address.',
  });
  return {
    async open({ ip, isAnonymous, announcedBytes }) {
      const network = clientNetwork(ip);
      if (isAnonymous) await anonymousBytes.take(network, announcedBytes);
      // Strangers leave half of it to callers who are known.
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
