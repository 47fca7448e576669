/** The end of a job: the first cause counts, the process is killed, and later causes are ignored. */

import {
  ActionError,
  type ApprovalRequest,
  ApprovalRequiredError,
  failedResult,
  type RunResult,
  type RunUsage,
  toRunError,
} from '@latchkey/runner-protocol';
import type { ActionProcess } from '../processes/action-process.ts';
import type { ConsoleOutput } from './console-output.ts';
import { ProtocolViolation } from './protocol.ts';

export type JobEnd = {
  /** Aborts when the job ends. */
  signal: AbortSignal;
  result: Promise<RunResult>;
  succeed: (response: unknown) => void;
  fail: (name: string, message: string, stack?: string, approval?: ApprovalRequest) => void;
  /** Fails with an `ActionError` unchanged; any other error is a fault of the process or of the host. */
  failWith: (error: unknown) => void;
};

/** Time from a result until its process is killed, which occupies a processor for milliseconds: the reply leaves first. */
const KILL_AFTER_MS = 15;
/** Shared by all runs: an abort without a reason would make an error with a stack. */
const runEnded = new Error('the run has ended');

type Options = {
  actionProcess: Pick<ActionProcess, 'kill'>;
  output: ConsoleOutput;
  /** Called once, before the process is killed. */
  readUsage: () => RunUsage;
  onHostError: (error: unknown) => void;
};

/** Starts the clock of the job's duration. */
export function createJobEnd({ actionProcess, output, readUsage, onHostError }: Options): JobEnd {
  const { promise, resolve } = Promise.withResolvers<RunResult>();
  const ended = new AbortController();
  const startedAt = performance.now();

  const end = (toResult: (durationMs: number, usage: RunUsage) => RunResult, kill: () => void): void => {
    if (ended.signal.aborted) return;
    const durationMs = Math.round(performance.now() - startedAt);
    const usage = readUsage();
    ended.abort(runEnded);
    kill();
    resolve(toResult(durationMs, usage));
  };
  const fail: JobEnd['fail'] = (name, message, stack, approval) => {
    const error = toRunError(name, message, stack);
    const toResult = (durationMs: number, usage: RunUsage): RunResult => ({
      ...failedResult(error, output.text(), durationMs, usage),
      ...(approval && { approval }),
    });
    end(toResult, actionProcess.kill);
  };
  return {
    signal: ended.signal,
    result: promise,
    succeed: (response) =>
      end(
        (durationMs, usage) => ({ response, logs: output.text(), hasError: false, durationMs, usage }),
        () => void setTimeout(actionProcess.kill, KILL_AFTER_MS),
      ),
    fail,
    failWith(error) {
      if (error instanceof ApprovalRequiredError) {
        const { name, message, request: approval } = error;
        fail(name, message, undefined, approval);
        return;
      }
      if (error instanceof ActionError) {
        fail(error.name, error.message);
        return;
      }
      if (!(error instanceof ProtocolViolation)) onHostError(error);
      fail('ProcessError', 'the action process violated the protocol');
    },
  };
}
