/** One run at one runner: messages of the runner in, messages to the runner out. */
import {
  abortError,
  defaultLimits,
  type FromRunner,
  type RunResult,
  RuntimeUnavailableError,
  type ToRunner,
} from '@latchkey/runner-protocol';
import type { Hex } from 'viem';
import { ChainRequests, type RunChains } from './chain-requests.ts';
import { type KeyHolder, type RunKeySource, type TakeAllowanceOfRun, toFailure } from './key-answers.ts';
import { KeyRequests } from './key-requests.ts';

/** Time beyond the limit of a run, or after its stop, in which a runner must report its end. */
export const OVERDUE_MS = 10_000;

/** Fails when the runner does not answer in time. */
export function createDeadline(reject: (error: Error) => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Replaces an earlier time. */
    set(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => reject(new RuntimeUnavailableError('the runner does not answer')), ms);
    },
    clear: (): void => clearTimeout(timer),
  };
}

type Run = Extract<ToRunner, { type: 'run' }>;

export type RunRequest = {
  /** Master hash. */
  account: bigint;
  /** Hash of the usage key. */
  usageKeyHash: bigint;
  cid: string;
  keys: RunKeySource;
  takeAllowance: TakeAllowanceOfRun;
  /** Absent: the action can send no transaction and call no node. */
  chains?: RunChains | undefined;
  code: string;
  /** JSON of the parameters of `main`. */
  params: string;
  timeoutMs: number;
  /** The approvals with which the run goes on. */
  approved?: Omit<NonNullable<Run['approved']>, 'account'> | undefined;
  /** The span of the run; undefined while traces are off. */
  traceparent?: string | undefined;
  /** Called when a process has the run and its code can begin. A run that takes an idle process can still move. */
  onBegin?: (() => void) | undefined;
  /** Called after `onBegin` when there was no idle process after all: the run waits for one. */
  onMove?: (() => void) | undefined;
  /** Called with the console output as it comes. Without it, the runner sends the output with the result only. */
  onLog?: ((text: string) => void) | undefined;
  /** Ends the run. An abort whose reason is an `ActionError` becomes the run's error. */
  signal: AbortSignal;
};

/** The runner was lost, or had no process, before the run began: another runner can take it. */
export class NotStartedError extends RuntimeUnavailableError {
  override readonly name = 'NotStartedError';
}

/** Messages of a runner about one run. */
export type RunMessage = Extract<
  FromRunner,
  { type: 'taken' | 'unavailable' | 'code missing' | 'log' | 'result' }
>;

export type RemoteRun = {
  /** Throws for a message that breaks the protocol. */
  receive: (message: RunMessage) => void;
  /** Call with the type of each other message about the run. Throws as `receive` does. */
  noteMessage: (type: FromRunner['type']) => void;
  /** The runner is lost: a run that has begun ends with `end`. */
  lose: (end: Error) => void;
  /** The keys of the run once its code has begun. */
  holder: () => KeyHolder | undefined;
  requests: KeyRequests;
  /** Undefined without chains. */
  chainRequests: ChainRequests | undefined;
  /** See `RunnerConnection.run`. */
  ended: Promise<RunResult>;
  close: () => void;
};

export type RemoteRunOptions = {
  id: number;
  request: RunRequest;
  /** Runs without a `take` before, which saves a message. The runner may have no idle process. */
  takesIdle: boolean;
  send: (message: ToRunner, body?: Uint8Array) => void;
};

export function startRemoteRun({ id, request, takesIdle, send }: RemoteRunOptions): RemoteRun {
  const { signal, timeoutMs, cid, keys, takeAllowance } = request;
  const { promise: ended, resolve, reject } = Promise.withResolvers<RunResult>();
  const requests = new KeyRequests();
  const holder: KeyHolder = { cid, keys, takeAllowance, asked: 0 };
  /** Undefined while the run waits for a process. */
  let begunAt: number | undefined;
  let isOver = false;
  const deadline = createDeadline(reject);
  const noteMessage = createOrderCheck(id);
  const receiveProgress = createProgressReceiver({ id, request, send });
  const begin = (): void => {
    begunAt = performance.now();
    deadline.set(timeoutMs + OVERDUE_MS);
    send(runMessage(id, request, takesIdle));
    request.onBegin?.();
  };
  const stop = (): void => {
    if (begunAt === undefined) {
      isOver = true;
      send({ type: 'give back', id });
      reject(signal.reason);
    } else {
      send({ type: 'stop', id, error: toFailure(abortError(signal)) });
      deadline.set(OVERDUE_MS);
    }
  };
  signal.addEventListener('abort', stop);
  if (takesIdle) begin();
  else send({ type: 'take', id, account: hexOf(request.account) });

  return {
    requests,
    ended,
    chainRequests: request.chains && new ChainRequests(request.chains),
    holder: () => (begunAt === undefined ? undefined : holder),
    noteMessage,
    receive(message) {
      if (isOver) return;
      noteMessage(message.type);
      if (message.type === 'unavailable') {
        isOver = true;
        if (takesIdle) request.onMove?.();
        reject(new NotStartedError(message.message));
      } else if (begunAt === undefined) {
        if (message.type === 'taken') begin();
      } else if (message.type === 'result') {
        isOver = true;
        resolve(chargeable(message.result as RunResult, begunAt));
      } else receiveProgress(message);
    },
    lose: (end) => reject(begunAt === undefined ? new NotStartedError('the runner was lost') : end),
    close() {
      deadline.clear();
      signal.removeEventListener('abort', stop);
      requests.endAll();
    },
  };
}

/** Returns the function that handles the messages of a runner between the begin and the result of a run. */
function createProgressReceiver({
  id,
  request,
  send,
}: Omit<RemoteRunOptions, 'takesIdle'>): (message: RunMessage) => void {
  let outputBytes = 0;
  return (message) => {
    if (message.type === 'code missing') send(runMessage(id, request, false), Buffer.from(request.code));
    // A runner sends no empty text, and ends a run whose output exceeds the limit, unless it is under the control of an attacker.
    else if (message.type === 'log' && message.text !== '') {
      outputBytes += Buffer.byteLength(message.text);
      if (outputBytes <= defaultLimits.maxConsoleBytes) request.onLog?.(message.text);
    }
  };
}

/** Returns a function that is called with each message of a runner about one run. It throws for one that breaks the protocol. */
function createOrderCheck(id: number): (type: FromRunner['type']) => void {
  const received = new Set<string>();
  return (type) => {
    // After any other message its code can have run, and would run again at another runner.
    if (type === 'unavailable' && received.size > 0)
      throw new Error(`a runner refused the run ${id} after another message about it`);
    // The relayer sends the code each time.
    if (type === 'code missing' && received.has(type))
      throw new Error(`a runner asked for the code of the run ${id} twice`);
    received.add(type);
  };
}

/** A runner cannot charge for longer than the run lasted here. */
const chargeable = (result: RunResult, begunAt: number): RunResult => ({
  ...result,
  durationMs: Math.min(result.durationMs, Math.ceil(performance.now() - begunAt)),
});

function runMessage(id: number, request: RunRequest, takesIdle: boolean): ToRunner {
  const { account, cid, params, timeoutMs, keys, traceparent, approved } = request;
  return {
    type: 'run',
    id,
    cid,
    params,
    timeoutMs,
    usageKeyHash: hexOf(request.usageKeyHash),
    streamsLogs: request.onLog !== undefined,
    runId: keys.runId,
    hasSecrets: true,
    hasPasskeys: true,
    hasChains: request.chains !== undefined,
    ...(takesIdle && { account: hexOf(account) }),
    ...(approved && { approved: { ...approved, account: hexOf(account) } }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

export const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;
