import { createHash, randomUUID } from 'node:crypto';
import {
  badRequest,
  clientNetwork,
  createRateLimit,
  HttpError,
  type IdempotencyStore,
  notFound,
} from '@latchkey/http';
import { createChallenge, verifySolution } from 'altcha-lib/v1';
import type { Challenge } from 'altcha-lib/v1/types';
import type { RequestSeeds } from './db/request-seeds.ts';

const HOUR_MS = 3_600_000;
const CHALLENGE_TTL_MS = 10 * 60_000;
/** Hashes that the longest search needs; half of it on average, less than a second of one core. */
const MAX_NUMBER = 200_000;
/** Gas of an account before the first receipt was seen. */
const FIRST_ESTIMATE = 500_000;
const LEASE_MS = 1;

export type NewAccountsOptions = {
  perMinutePerAddress: number;
  gasPerHour: number;
  /** Accounts a minute, of all addresses, above which a solved challenge is needed; never when absent. */
  challengeAbovePerMinute: number | undefined;
  seeds: RequestSeeds;
  /** Remembers which solutions were used, for all processes. */
  used: Pick<IdempotencyStore, 'claim'>;
};

export type NewAccounts = {
  /**
   * Admits one request or throws: 429 over a limit, 400 for a solution that is wrong, expired or used by another request.
   * Call `spent` with the gas of its receipt, or `unspent` when nothing was broadcast.
   */
  admit: (request: {
    ip: string;
    /** The solved challenge that came with the request. */
    solution: string | undefined;
    /** Names the request through all its attempts, or this attempt. */
    requestId: string;
  }) => Promise<{ spent: (gas: bigint) => Promise<void>; unspent: () => Promise<void> }>;
  /** A fresh challenge; 404 when none is ever needed. */
  challenge: () => Promise<Challenge>;
};

/** Who may open an account: an account costs its payer gas and its opener nothing. */
export function createNewAccounts(options: NewAccountsOptions): NewAccounts {
  const { seeds, used, challengeAbovePerMinute } = options;
  const ofAddress = createRateLimit({
    points: options.perMinutePerAddress,
    message: 'Too many new accounts from this address.',
  });
  const gasOfHour = createRateLimit({
    points: options.gasPerHour,
    periodSec: 3_600,
    message: 'The relayer has spent its gas for new accounts of this hour.',
  });
  const withoutChallenge =
    challengeAbovePerMinute === undefined
      ? undefined
      : createRateLimit({ points: challengeAbovePerMinute, message: 'Many accounts are being opened now.' });
  let estimate = FIRST_ESTIMATE;

  /** The key of challenges made in this hour or the one `hoursAgo`, the same in every process. */
  const keyOf = async (hoursAgo: number): Promise<string> => {
    const hour = Math.floor(Date.now() / HOUR_MS) - hoursAgo;
    return Buffer.from(await seeds.seedOf(sha256(`challenges of hour ${hour}`))).toString('hex');
  };

  const isSolved = async (solution: string): Promise<boolean> => {
    for (const hoursAgo of [0, 1])
      if (await verifySolution(solution, await keyOf(hoursAgo)).catch(() => false)) return true;
    return false;
  };

  const checkSolution = async (solution: string, requestId: string): Promise<void> => {
    const refused = (what: string) =>
      badRequest(`headers.x-challenge-solution: ${what}`, {
        fix: 'Solve a challenge of GET new_account_challenge.',
      });
    if (solution.length > 2_048 || !(await isSolved(solution)))
      throw refused('not the solution of a valid challenge');
    // The signed part alone: the same solution could be encoded in many ways.
    const { challenge } = JSON.parse(Buffer.from(solution, 'base64').toString('utf8')) as Challenge;
    const id = sha256(`solution of ${challenge}`);
    const requestHash = sha256(requestId);
    const claim = await used.claim(id, { requestHash, holder: randomUUID(), leaseMs: LEASE_MS });
    if (claim.state !== 'claimed' && claim.requestHash !== requestHash)
      throw refused('this solution was used before');
  };

  return {
    async admit({ ip, solution, requestId }) {
      await ofAddress.take(clientNetwork(ip));
      if (withoutChallenge) {
        if (solution !== undefined) await checkSolution(solution, requestId);
        else
          await withoutChallenge.take('all').catch((refusal: HttpError) => {
            throw new HttpError('too_many_requests', refusal.message, {
              fix: 'Solve a challenge of GET new_account_challenge and send it in X-Challenge-Solution, or wait.',
              ...(refusal.retryAfterSec !== undefined && { retryAfterSec: refusal.retryAfterSec }),
            });
          });
      }
      const reserved = estimate;
      await gasOfHour.take('all', reserved);
      return {
        async spent(gas) {
          // An eighth more than the last one: labels differ in length.
          estimate = Math.ceil((Number(gas) * 9) / 8);
          await gasOfHour.giveBack('all', reserved - Number(gas));
        },
        unspent: () => gasOfHour.giveBack('all', reserved),
      };
    },
    async challenge() {
      if (!withoutChallenge) throw notFound('This relayer asks for no challenges.');
      return createChallenge({
        hmacKey: await keyOf(0),
        maxNumber: MAX_NUMBER,
        expires: new Date(Date.now() + CHALLENGE_TTL_MS),
      });
    },
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
