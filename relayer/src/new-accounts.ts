import { createHash, randomUUID } from 'node:crypto';
import {
  badRequest,
  clientNetwork,
  createPacedLimit,
  createRateLimit,
  HttpError,
  type IdempotencyStore,
  notFound,
  tooManyRequests,
} from '@latchkey/http';
import { createChallenge, verifySolution } from 'altcha-lib/v1';
import type { Challenge } from 'altcha-lib/v1/types';
import type { NewAccountGas } from './db/new-account-gas.ts';
import type { RequestSeeds } from './db/request-seeds.ts';

const HOUR_MS = 3_600_000;
const CHALLENGE_TTL_MS = 10 * 60_000;
/**
 * Maximum number of hashes a client computes for one challenge: on average half of it, less than a second on one core.
 */
const MAX_NUMBER = 200_000;
/** Gas estimate for a new account until the first receipt. */
const FIRST_ESTIMATE = 500_000n;
const LEASE_MS = 1;

export type NewAccountsOptions = {
  perMinutePerAddress: number;
  /** Counts the gas of an hour for all processes. */
  gas: NewAccountGas;
  /**
   * Rate of new accounts per minute, over all addresses, above which a solved challenge is required. Absent: no
   * challenges.
   */
  challengeAbovePerMinute: number | undefined;
  seeds: Pick<RequestSeeds, 'seedFor'>;
  /** Stores the used solutions for all processes. */
  used: Pick<IdempotencyStore, 'claim'>;
};

export type NewAccounts = {
  /**
   * Admits one request or throws: 429 over a limit, 400 for a solution that is wrong, expired or used by another
   * request. Call `settle` with the gas of the receipt, or with 0 when no transaction was broadcast. Without it the estimate counts.
   */
  admit: (request: {
    ip: string;
    /** The solved challenge of the request. */
    solution: string | undefined;
    /** Identifies the request over all its retries, or this attempt when the request has no idempotency id. */
    requestId: string;
  }) => Promise<{ settle: (gas: bigint) => Promise<void> }>;
  /** Returns a new challenge; throws 404 when challenges are off. */
  challenge: () => Promise<Challenge>;
};

/** Limits new accounts: the payer pays gas for an account, the caller nothing. */
export function createNewAccounts(options: NewAccountsOptions): NewAccounts {
  const { gas: ofHour, challengeAbovePerMinute } = options;
  const challenges = createChallenges(options);
  const ofAddress = createPacedLimit({
    name: 'new-accounts',
    points: options.perMinutePerAddress,
    leastPerSecond: 4,
    // Concurrent openings would hold up runs: each occupies the payer, the chain, the indexer and the database.
    paceSec: 0.25,
    message: 'Too many new accounts from this address.',
  });
  const withoutChallenge =
    challengeAbovePerMinute === undefined
      ? undefined
      : createRateLimit({
          name: 'new-accounts-without-challenge',
          points: challengeAbovePerMinute,
          message: 'Too many new accounts are being created right now.',
        });
  let estimate = FIRST_ESTIMATE;

  return {
    async admit({ ip, solution, requestId }) {
      await ofAddress.take(clientNetwork(ip));
      if (withoutChallenge) {
        if (solution !== undefined) await challenges.check(solution, requestId);
        else
          await withoutChallenge.take('all').catch(({ message, retryAfterSec, limit }: HttpError) => {
            throw new HttpError('too_many_requests', message, {
              limit,
              fix: 'Solve a challenge of GET new_account_challenge and send it in X-Challenge-Solution, or wait.',
              ...(retryAfterSec !== undefined && { retryAfterSec }),
            });
          });
      }
      const reserved = await ofHour.reserve(estimate);
      if (!reserved)
        throw tooManyRequests(
          'The relayer has spent its gas for new accounts of this hour.',
          (HOUR_MS - (Date.now() % HOUR_MS)) / 1_000,
        );
      return {
        async settle(gas) {
          // Adds an eighth, because labels differ in length.
          if (gas > 0n) estimate = (gas * 9n) / 8n;
          await reserved.settle(gas);
        },
      };
    },
    async challenge() {
      if (!withoutChallenge)
        throw notFound('This relayer does not use challenges.', {
          fix: 'Call new_account without X-Challenge-Solution.',
        });
      return challenges.create();
    },
  };
}

function createChallenges({ seeds, used }: Pick<NewAccountsOptions, 'seeds' | 'used'>) {
  /**
   * Returns the HMAC key of challenges made in the current hour, or `hoursAgo` hours earlier. The key is the same in
   * every process.
   */
  const hmacKey = async (hoursAgo: number): Promise<string> => {
    const hour = Math.floor(Date.now() / HOUR_MS) - hoursAgo;
    return Buffer.from(await seeds.seedFor(sha256(`challenges of hour ${hour}`))).toString('hex');
  };
  const isSolved = async (solution: string): Promise<boolean> => {
    for (const hoursAgo of [0, 1])
      if (await verifySolution(solution, await hmacKey(hoursAgo)).catch(() => false)) return true;
    return false;
  };
  return {
    create: async (): Promise<Challenge> =>
      createChallenge({
        hmacKey: await hmacKey(0),
        maxNumber: MAX_NUMBER,
        expires: new Date(Date.now() + CHALLENGE_TTL_MS),
      }),
    /** Throws 400 for a solution that is wrong, expired or used by another request. */
    async check(solution: string, requestId: string): Promise<void> {
      const refusal = (reason: string) =>
        badRequest(`headers.x-challenge-solution: ${reason}`, {
          fix: 'Solve a challenge of GET new_account_challenge.',
        });
      if (solution.length > 2_048 || !(await isSolved(solution)))
        throw refusal('not a solution of a valid challenge');
      // Hash the signed part only: one solution has many encodings.
      const { challenge } = JSON.parse(Buffer.from(solution, 'base64').toString('utf8')) as Challenge;
      const id = sha256(`solution of ${challenge}`);
      const requestHash = sha256(requestId);
      const claim = await used.claim(id, { requestHash, holder: randomUUID(), leaseMs: LEASE_MS });
      if (claim.state !== 'claimed' && claim.requestHash !== requestHash)
        throw refusal('this solution was already used');
    },
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
