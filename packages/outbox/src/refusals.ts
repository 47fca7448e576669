/** Transactions that fail: by a fault of their payer, after which another one sends the call, or of the call. */
import {
  ContractRevertError,
  MinedRevertError,
  SignerError,
  UnexplainedRevertError,
  UnsettledTransactionError,
} from '@latchkey/chain/errors';
import type { Logger } from 'pino';
import { type Address, isAddressEqual, type TransactionReceipt } from 'viem';
import type { FollowOptions } from './follow.ts';
import { type PayerLane, rest } from './lanes.ts';
import { simulate } from './market.ts';
import type { StoredTransaction } from './store.ts';

/** The payer has no funds for a transaction. */
export class UnfundedError extends Error {
  override readonly name = 'UnfundedError';
}

/** The contract no longer knows the payer: its owner removed it. */
function isRemoved(error: unknown, payer: Address): boolean {
  const revert = error instanceof ContractRevertError ? error.revert : undefined;
  return (
    (revert?.errorName === 'OnlyApiPayer' || revert?.errorName === 'OnlyApiPayerOrOwner') &&
    isAddressEqual(revert.args[0], payer)
  );
}

/** Skips a payer that cannot pay or sign, or that was removed, for a while. Rethrows any other error. */
export function skip(lane: PayerLane, error: unknown, log: Logger): void {
  const payer = lane.signer.address;
  if (isRemoved(error, payer)) lane.isApiPayer = false;
  else if (error instanceof SignerError || error instanceof UnfundedError) rest(lane);
  else throw error;
  log.error({ payer, err: (error as Error).cause ?? error }, 'the payer is not used for a while');
}

type Explained = Pick<FollowOptions, 'chain' | 'log'> & { contract: Address };

/** Rejects with the reason of a mined revert. Resolves when it is the removal of the payer: another one can send the call. */
export async function explain(
  { chain, contract, log }: Explained,
  { payer, nonce, data }: StoredTransaction,
  { blockNumber, gasUsed }: TransactionReceipt,
): Promise<void> {
  const call = { from: payer, to: contract, data };
  const cause = await simulate(chain, call, blockNumber).catch((error: unknown) => error);
  if (isRemoved(cause, payer)) return;
  if (cause instanceof ContractRevertError) throw new MinedRevertError(cause.data, gasUsed);
  if (cause) throw new UnsettledTransactionError('the transaction reverted for an unknown reason', { cause });
  // Not sent again: a contract wallet can accept its signature in simulations only, and the payer would pay each time.
  log.warn({ payer, nonce }, 'a reverted transaction does not revert when replayed');
  throw new UnexplainedRevertError('the transaction reverted, and does not revert when replayed');
}
