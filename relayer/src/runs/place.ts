/** Runs the code of a run at a runner. */
import { ActionError, abortError, failedResult, type RunResult, toRunError } from '@latchkey/runner-protocol';
import { startSpan, traceHeaders } from '@latchkey/service/tracing';
import type { PaidRun } from '../billing/runs.ts';
import { paramsOf } from '../runners/run-input.ts';
import type { Continued } from './approvals.ts';
import type { Live } from './asked.ts';
import { openRunChains } from './run-chains.ts';
import { openRunKeys } from './run-keys.ts';
import { timeoutOf } from './run-length.ts';
import type { RunEvent } from './run-machine.ts';
import { takeTurn } from './run-turn.ts';

/** Runs the code. Errors of the action are results. */
export async function place(
  live: Live,
  paid: PaidRun,
  dispatch: (event: RunEvent) => void,
): Promise<RunEvent> {
  const { context, asked, cid, code, minBlock, continued } = live;
  const { runId, onLog, js_params: jsParams, json_params, timeout_ms, concurrency_key } = asked;
  const { account, hash } = asked.caller;
  const { keys, outage } = openRunKeys(context, { account, hash, cid, runId, minBlock });
  const chains = openRunChains(context, { account, hash, cid, runId, minBlock });
  const ends = AbortSignal.any([paid.signal, ...live.ends]);
  const wait = () => startSpan('wait for a process');
  let waiting = wait();
  /** The approval is used, and the code has not begun. */
  let isClaimed = false;
  try {
    using turn = await takeTurn(context.runLocks, { account, concurrencyKey: concurrency_key }, ends);
    const signal = turn ? AbortSignal.any([ends, turn.signal]) : ends;
    const params =
      continued?.params ?? paramsOf({ code, jsParams, jsonParams: json_params ?? {} }, context.runLimits);
    live.ran = { keys, params };
    if (continued) await context.approvals.claim(continued, runId);
    isClaimed = continued !== undefined;
    const result = await context.runners.run({
      account,
      usageKeyHash: hash,
      cid,
      keys,
      takeAllowance: (number, request) => context.takeAllowance({ account, cid, runId }, number, request),
      chains,
      code,
      params,
      timeoutMs: timeoutOf(context.runLimits.timeoutMs, timeout_ms, paid.maxRunSec),
      approved: continued && { ...context.approvals.deployment, proofs: continued.proofs },
      onLog,
      signal,
      ...traceHeaders(),
      onBegin: () => {
        waiting.end();
        isClaimed = false;
        dispatch({ type: 'begun' });
      },
      onMove: () => {
        waiting = wait();
        isClaimed = continued !== undefined;
        dispatch({ type: 'moved' });
      },
    });
    // Before the approval is stored: a run that has it ends with it, whatever stops the run then.
    const stopped = { stop: signal.reason, outage: outage() };
    if (!result.approval || stopped.outage) return { type: 'finished', result, ...stopped };
    return { type: 'finished', result: await openApproval(live, result, { params, signal }), ...stopped };
  } catch (error) {
    if (error instanceof ActionError) return { type: 'stopped', error };
    throw error;
  } finally {
    if (waiting.isRecording()) waiting.end();
    if (continued && isClaimed) await giveBack(live, continued);
  }
}

/** A failure leaves the approval used: its run asks for another one. */
async function giveBack({ context, asked }: Live, continued: Continued): Promise<void> {
  const { runId, log } = asked;
  await context.approvals
    .release(continued, runId)
    .catch((err: unknown) => log.warn({ err, approval_id: continued.id }, 'failed to give an approval back'));
}

/**
 * Stores the approval that the run needs. Resolves to the result that its caller gets. A run that was stopped meanwhile ends with the reason,
 * and waits for nothing.
 */
async function openApproval(
  { context, asked, cid, continued }: Live,
  result: RunResult,
  { params, signal }: { params: string; signal: AbortSignal },
): Promise<RunResult> {
  if (signal.aborted) {
    const { name, message } = abortError(signal);
    return failedResult(toRunError(name, message), result.logs, result.durationMs, result.usage);
  }
  const { runId, timeout_ms, concurrency_key } = asked;
  const { account, hash: key } = asked.caller;
  const fields = { timeout_ms, concurrency_key };
  const proofs = continued?.proofs ?? [];
  return context.approvals.open(result, { params, fields, proofs, runId, account, key, cid });
}
