import { MinedRevertError, UnsettledTransactionError } from '@latchkey/chain/errors';
import { HttpError } from '@latchkey/http';
import { z } from 'zod';
import type { Written } from '../../chain/account-config.ts';
import type { Context } from '../../context.ts';

export const challengeHeaders = z.object({
  'x-challenge-solution': z
    .string()
    .optional()
    .meta({ description: 'The solved challenge of new_account_challenge.' }),
});

type Opening<Opened> = {
  ip: string;
  headers: z.output<typeof challengeHeaders>;
  /** Identifies the request over all its retries. */
  requestId: string;
  /** Called after the request is admitted. */
  write: () => Promise<Opened>;
};

/** Creates an account by a free write, within the limits of new accounts, and gives the starter credit. */
export async function openAccount<Opened extends Pick<Written, 'gasUsed'> & { account: bigint }>(
  { newAccounts, giveStarterCredit, log }: Pick<Context, 'newAccounts' | 'giveStarterCredit' | 'log'>,
  { ip, headers, requestId, write }: Opening<Opened>,
): Promise<Opened> {
  const solution = headers['x-challenge-solution'];
  const admitted = await newAccounts.admit({ ip, solution, requestId });
  // An account that was opened is returned even when counting its gas fails.
  const settle = (gas: bigint) =>
    admitted
      .settle(gas)
      .catch((err: unknown) => log.warn({ err }, 'failed to count the gas of a new account'));
  const opened = await write().catch(async (thrown: unknown) => {
    // An outage of the chain must not use up the hourly gas, and a transaction that reverts must.
    const cause = thrown instanceof HttpError ? thrown.cause : thrown;
    if (!(cause instanceof UnsettledTransactionError || cause instanceof MinedRevertError)) await settle(0n);
    throw thrown;
  });
  await settle(opened.gasUsed);
  await giveStarterCredit(opened.account);
  return opened;
}
