import { forbidden, notFound, unauthorized } from '@latchkey/http';
import { cidHash, cidOf } from '@latchkey/protocol';
import type { Logger } from 'pino';
import { zeroAddress } from 'viem';
import type { Caller } from '../../auth/authenticators.ts';
import { RunUnpaidError } from '../../billing/run-meter.ts';
import type { RunOutcome } from '../../billing/runs.ts';
import { ChainUnavailableError } from '../../chain/errors.ts';
import type { Context } from '../../context.ts';
import { createRunKeys } from '../../keys/release.ts';
import { RunInterruptedError } from '../../runtime/errors.ts';
import type { RunResult } from '../../runtime/runtime.ts';

/** `ExecutionRule.KeyExpired` of the contract. */
const KEY_EXPIRED = 2;

export type RunContext = Pick<
  Context,
  | 'accountConfig'
  | 'actionCodes'
  | 'actionSource'
  | 'admission'
  | 'keyProvider'
  | 'runs'
  | 'runtime'
  | 'runWatch'
>;

type Run = {
  /** Not empty. */
  code: string | undefined;
  ipfs_id?: string | null | undefined;
  js_params?: Record<string, unknown> | null | undefined;
  json_params?: Record<string, string> | null | undefined;
  caller: Caller;
  runId: string;
  idempotencyId: string | undefined;
  log: Logger;
};

/**
 * Runs given code, or the code of a CID, after the contract confirms that the key is permitted to run it, and charges
 * for it. An idempotent request that has already run gets the outcome of that run.
 */
export async function runAction(context: RunContext, run: Run): Promise<RunOutcome> {
  const { accountConfig, keyProvider, runs } = context;
  const { runId, idempotencyId } = run;
  const { hash, account, minBlock, expiration } = run.caller;
  const earlier = idempotencyId === undefined ? undefined : await runs.outcome(idempotencyId);
  if (earlier) return earlier;
  // Refused here, a run above the share of its account costs no call to the chain or the ledger.
  using place = context.admission.admit(account);
  const { cid, code } = await resolveSource(context, run);
  place.holdCode(Buffer.byteLength(code));
  using watched = context.runWatch.watch({ account, key: hash, cidHash: cidHash(cid), expiration });

  if (!(await accountConfig.read('canExecuteAction', [hash, cidHash(cid)], minBlock)))
    throw await refusal(context, hash, cid);
  const paid = await runs.begin({ id: runId, cid, account, key: hash, idempotencyId });
  let outage: ChainUnavailableError | undefined;
  const noticeOutage = (thrown: unknown): never => {
    if (thrown instanceof ChainUnavailableError) outage = thrown;
    throw thrown;
  };
  const keys = createRunKeys({
    keyProvider,
    usageKeyHash: hash,
    cid,
    // Checked again per key, at the moment of its use.
    authority: {
      canExecuteAction: (...args) =>
        accountConfig.read('canExecuteAction', args, minBlock).catch(noticeOutage),
      canUseWalletInAction: (...args) =>
        accountConfig.read('canUseWalletInAction', args, minBlock).catch(noticeOutage),
      getWalletDerivation: (...args) =>
        accountConfig.read('getWalletDerivation', args, minBlock).catch(noticeOutage),
    },
  });
  let result: RunResult;
  try {
    const { started: onStart } = paid;
    const signal = AbortSignal.any([paid.signal, watched.signal, place.signal]);
    const request = { account, code, cid, jsParams: run.js_params, jsonParams: run.json_params ?? {}, keys };
    result = await context.runtime.run({ ...request, signal, onStart });
    if (signal.reason instanceof RunUnpaidError || signal.reason instanceof RunInterruptedError)
      throw signal.reason;
    // The service caused the failure: the run costs nothing and can be retried.
    if (result.hasError && outage) throw outage;
  } catch (thrown) {
    await paid.release();
    throw thrown;
  }
  run.log.info({ run_id: runId, cid, duration_ms: result.durationMs, has_error: result.hasError }, 'run');
  const outcome = await paid.capture(result);
  if (outcome.costMicros > 0n)
    // The run is paid: its reply does not depend on storing its code.
    await context.actionCodes
      .keep(account, cid, code)
      .catch((err: unknown) => run.log.warn({ err, cid }, 'failed to store the code of an action'));
  return outcome;
}

async function resolveSource({ actionSource }: RunContext, run: Run): Promise<{ cid: string; code: string }> {
  if (run.code !== undefined) return { cid: await cidOf(run.code), code: run.code };
  const cid = run.ipfs_id ?? '';
  const code = await actionSource(cid);
  if (code === undefined)
    throw notFound('The relayer does not have the code of this CID.', {
      fix: 'Send the code once in `code`.',
    });
  return { cid, code };
}

async function refusal({ accountConfig }: RunContext, hash: bigint, cid: string): Promise<Error> {
  const { actionRule } = await accountConfig.read('explainExecution', [hash, cidHash(cid), zeroAddress]);
  if (actionRule === KEY_EXPIRED) return unauthorized('This usage key has expired.');
  return forbidden(`This usage key is not permitted to run the action ${cid}.`, {
    fix: 'Add the action to a group in execute_in_groups of the key.',
  });
}
