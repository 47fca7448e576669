import { call } from '@latchkey/testing/stack';
import { solveChallenge } from 'altcha-lib/v1';
import type { Challenge } from 'altcha-lib/v1/types';
import { expect } from 'vitest';

/** Solves a challenge of this relayer. Returns the header of a request that creates an account. */
export async function solveChallengeOf(url: string): Promise<Record<string, string>> {
  const { status, body } = await call('GET', 'new_account_challenge', {}, url);
  expect(status).toBe(200);
  const { algorithm, challenge, salt, signature, maxnumber } = body as Challenge;
  const found = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
  const solution = { algorithm, challenge, number: found?.number, salt, signature };
  return { 'X-Challenge-Solution': Buffer.from(JSON.stringify(solution)).toString('base64') };
}
