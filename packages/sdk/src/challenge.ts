/** The proof of work that the relayer asks for while many accounts are opened: the format of ALTCHA, version 1. */
import { sha256, stringToBytes } from 'viem';
import type { BareClient } from './bare-client.ts';
import { type Deadline, pause } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { get } from './http.ts';

/** Numbers that are hashed without a pause: a few milliseconds. */
const SLICE = 1_000;

/**
 * Returns the header of a solved challenge, or undefined when the relayer uses none. Takes up to a few seconds, and yields to other
 * work.
 */
export async function solveChallenge(
  client: BareClient,
  deadline: Deadline,
): Promise<Record<string, string> | undefined> {
  const reply = await get(client, '/core/v1/new_account_challenge', { deadline }).catch((error: unknown) => {
    if (error instanceof LatchkeyError && error.status === 404) return undefined;
    throw error;
  });
  if (!reply) return undefined;
  const { algorithm, challenge, maxnumber = 1_000_000, salt, signature } = reply.json;
  for (let number = 0; number <= maxnumber; number++) {
    if (number % SLICE === 0) await pause(0, deadline);
    if (sha256(stringToBytes(`${salt}${number}`)) !== `0x${challenge}`) continue;
    const solution = { algorithm, challenge, number, salt, signature };
    return { 'X-Challenge-Solution': btoa(JSON.stringify(solution)) };
  }
  return undefined;
}
