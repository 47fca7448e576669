/** The end of a job: the first cause counts, the process is killed, and later causes are ignored. */

import { ActionError, failedResult, type RunResult, toRunError } from '@latchkey/runner-protocol';
import type { ActionProcess } from './action-process.ts';
import type { ConsoleOutput } from './console-output.ts';
import { ProtocolViolation } from './protocol.ts';

export type JobEnd = {
  /** Aborts when the job ends. */
  signal: AbortSignal;
  result: Promise<RunResult>;
  succeed: (response: unknown) => void;
  fail: (name: string, message: string, stack?: string) => void;
  /** Fails with an `ActionError` unchanged; any other error is a fault of the process or of the host. */
  failWith: (error: unknown) => void;
};

type Options = {
  actionProcess: Pick<ActionProcess, 'kill' | 'scriptUrl'>;
  output: ConsoleOutput;
  onHostError: (error: unknown) => void;
};

/** Starts the clock of the job's duration. */
export function createJobEnd({ actionProcess, output, onHostError }: Options): JobEnd {
  const { promise, resolve } = Promise.withResolvers<RunResult>();
  const ended = new AbortController();
  const startedAt = performance.now();

  const end = (toResult: (durationMs: number) => RunResult, kill: () => void): void => {
    if (ended.signal.aborted) return;
    ended.abort();
    kill();
    resolve(toResult(Math.round(performance.now() - startedAt)));
  };
  const clean = (text: string) => withoutScriptUrl(text, actionProcess);
  const fail: JobEnd['fail'] = (name, message, stack) => {
    const error = toRunError(clean(name), clean(message), stack === undefined ? undefined : clean(stack));
    end((durationMs) => failedResult(error, output.text(), durationMs), actionProcess.kill);
  };
  return {
    signal: ended.signal,
    result: promise,
    succeed: (response) =>
      end(
        (durationMs) => ({ response, logs: output.text(), hasError: false, durationMs }),
        // The result leaves first: a kill takes most of a millisecond.
        () => setImmediate(actionProcess.kill),
      ),
    fail,
    failWith(error) {
      if (error instanceof ActionError) {
        fail(error.name, error.message);
        return;
      }
      if (!(error instanceof ProtocolViolation)) onHostError(error);
      fail('ProcessError', 'the action process violated the protocol');
    },
  };
}

/** Stack traces contain the path of the script on the host. */
export const withoutScriptUrl = (text: string, { scriptUrl }: Pick<ActionProcess, 'scriptUrl'>): string =>
  text.replaceAll(scriptUrl, 'runtime.js');
