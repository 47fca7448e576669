/** Runs the code of a run at a runner. */
import { ActionError } from '@latchkey/runner-protocol';
import { startSpan, traceHeaders } from '@latchkey/service/tracing';
import type { PaidRun } from '../billing/runs.ts';
import { paramsOf } from '../runners/run-input.ts';
import type { Live } from './live-run.ts';
import { openRunKeys } from './run-keys.ts';
import { timeoutOf } from './run-length.ts';
import type { RunEvent } from './run-machine.ts';
import { takeTurn } from './run-turn.ts';

/** Runs the code. Errors of the action are results. */
export async function place(live: Live, paid: PaidRun, dispatch: (event: RunEvent) => void): Promise<RunEvent> {
  const { context, asked, cid, code, minBlock } = live;
  const { runId, onLog, js_params: jsParams, json_params } = asked;
  const { account, hash } = asked.caller;
  const { keys, outage } = openRunKeys(context, { hash, cid, runId, minBlock });
  const ends = AbortSignal.any([paid.signal, ...live.ends]);
  const timeoutMs = timeoutOf(context.runLimits.timeoutMs, asked.timeout_ms, paid.maxRunSec);
  const wait = () => startSpan('wait for a process');
  let waiting = wait();
  try {
    using turn = await takeTurn(context.runLocks, { account, concurrencyKey: asked.concurrency_key }, ends);
    const signal = turn ? AbortSignal.any([ends, turn.signal]) : ends;
    const params = paramsOf({ code, jsParams, jsonParams: json_params ?? {} }, context.runLimits);
    live.ran = { keys, params };
    const result = await context.runners.run({
      account,
      usageKeyHash: hash,
      cid,
      keys,
      code,
      params,
      timeoutMs,
      onLog,
      signal,
      ...traceHeaders(),
      onBegin: () => {
        waiting.end();
        dispatch({ type: 'begun' });
      },
      onMove: () => {
        waiting = wait();
        dispatch({ type: 'moved' });
      },
    });
    return { type: 'finished', result, stop: signal.reason, outage: outage() };
  } catch (error) {
    if (error instanceof ActionError) return { type: 'stopped', error };
    throw error;
  } finally {
    if (waiting.isRecording()) waiting.end();
  }
}
