/** Messages between the relayer and the supervisor of its action processes, over the channel of a forked process. */
import type { CallMessage } from './protocol.ts';
import type { RunRequest, RunResult, RuntimeOptions, RuntimeStats } from './runtime.ts';

/** The options that can be sent: those without functions. */
export type SupervisorOptions = Omit<RuntimeOptions, 'onHostError'>;

type Failure = { name: string; message: string };

export type ToSupervisor =
  | { type: 'start'; options: SupervisorOptions }
  | {
      type: 'run';
      id: number;
      request: Pick<RunRequest, 'account' | 'code' | 'cid' | 'jsParams' | 'jsonParams' | 'limits'>;
    }
  /** Ends a run with this error of the action. */
  | { type: 'stop'; id: number; error: Failure }
  | { type: 'key'; call: number; value: string }
  | { type: 'key refused'; call: number; error: Failure }
  | { type: 'stats'; id: number }
  | { type: 'close' };

export type FromSupervisor =
  /** The first process is idle. */
  | { type: 'ready'; controllers: string[] }
  | { type: 'failed to start'; message: string }
  | { type: 'started'; id: number }
  | { type: 'result'; id: number; result: RunResult }
  /** No process can take the run. */
  | { type: 'unavailable'; id: number; message: string }
  | { type: 'key'; call: number; run: number; operation: CallMessage['operation']; args: unknown }
  | { type: 'host error'; message: string; stack: string | undefined; cid: string }
  | { type: 'stats'; id: number; stats: RuntimeStats };
