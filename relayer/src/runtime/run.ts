/** One run in one process: answers what the action asks for, and ends it when a limit is broken. */
import type { Agent } from 'undici';
import type { RunKeys } from '../keys/release.ts';
import type { ActionProcess, Exit } from './action-process.ts';
import { ActionError, actionErrorName, type RunError, toRunError } from './errors.ts';
import { type FetchOptions, guardedFetch } from './guarded-fetch.ts';
import { callKeyOperation } from './key-operation.ts';
import type { RunLimits } from './limits.ts';
import {
  type CallMessage,
  type ChildMessage,
  type FetchMessage,
  type FetchReply,
  ProtocolViolation,
} from './protocol.ts';
import { readResponse } from './response.ts';

/** `error` is there exactly when `hasError`; `response` is null then. `logs` is the console output, kept always. */
export type RunResult = {
  response: unknown;
  logs: string;
  hasError: boolean;
  error?: RunError;
  /** From the moment a process took the run, in whole milliseconds; what is charged. */
  durationMs: number;
};

export type Job = {
  code: string;
  /** JSON of what `main` gets. */
  paramsJson: string;
  keys: RunKeys;
  limits: RunLimits;
  signal: AbortSignal | undefined;
  /** Of this run alone. */
  fetchAgent: Agent;
  fetchOptions: FetchOptions;
  maxFrameBytes: number;
  onHostError: (error: unknown) => void;
};

const MEMORY_CHECK_MS = 20;
/** The kernel ends what grows further than this between two checks, and what they do not count. */
const KERNEL_MEMORY_SLACK_BYTES = 32 * 1024 * 1024;
/** Frame of an empty line of output; a character of text takes six bytes of it at most. */
const LOG_FRAME_BYTES = 64;
/** Copies of the code that a process holds until they are collected: frame, text, source. They are not the action's. */
const CODE_COPIES = 4;
const MIB = 1024 * 1024;
/** Each holds its bodies on the host; the others wait. */
const MAX_FETCHES_AT_ONCE = 6;

/** The error of a run that `signal` ended. */
export const abortError = (signal: AbortSignal): ActionError =>
  signal.reason instanceof ActionError
    ? signal.reason
    : new ActionError('StoppedError', 'the run was stopped from outside');

export const failedResult = (error: RunError, logs = '', durationMs = 0): RunResult => ({
  response: null,
  logs,
  hasError: true,
  error,
  durationMs,
});

/** Runs the job and kills the process; never rejects. */
export const runJob = (actionProcess: ActionProcess, job: Job): Promise<RunResult> => {
  const { limits, signal } = job;
  const result = Promise.withResolvers<RunResult>();
  const startedAt = performance.now();
  const baseBytes = actionProcess.anonymousBytes();
  const memoryLimitBytes = limits.memoryLimitMb * MIB + CODE_COPIES * Buffer.byteLength(job.code);
  actionProcess.limitMemory(memoryLimitBytes + KERNEL_MEMORY_SLACK_BYTES);
  const ended = new AbortController();
  const fetchAborts = new Map<number, AbortController>();
  const waitingFetches: (() => Promise<void>)[] = [];
  let logs = '';
  let consoleBytes = 0;
  let keyOperations = 0;
  let fetches = 0;
  let requests = 0;
  let aborts = 0;
  let fetchesAtOnce = 0;
  let lastId = 0;

  const end = (toResult: (durationMs: number) => RunResult): void => {
    if (ended.signal.aborted) return;
    ended.abort();
    clearTimeout(timer);
    clearInterval(watcher);
    signal?.removeEventListener('abort', onAbort);
    actionProcess.kill();
    result.resolve(toResult(Math.round(performance.now() - startedAt)));
  };
  /** Stack traces name the script by its path on the host. */
  const clean = (text: string) => text.replaceAll(actionProcess.scriptUrl, 'runtime.js');
  const fail = (name: string, message: string, stack?: string): void => {
    const error = toRunError(clean(name), clean(message), stack === undefined ? undefined : clean(stack));
    end((durationMs) => failedResult(error, logs, durationMs));
  };
  const failWith = (error: unknown): void => {
    if (error instanceof ActionError) fail(error.name, error.message);
    else {
      if (!(error instanceof ProtocolViolation)) job.onHostError(error);
      fail('ProcessError', 'the process of the action did not keep to its protocol');
    }
  };
  const onAbort = () => failWith(abortError(signal as AbortSignal));
  const outOfMemory = () =>
    fail('MemoryLimitError', `the action used more than ${limits.memoryLimitMb} MB of memory`);

  const timer = setTimeout(
    () => fail('TimeLimitError', `the action ran longer than ${limits.timeoutMs} ms`),
    limits.timeoutMs,
  );
  const watcher = setInterval(() => {
    if (actionProcess.anonymousBytes() - baseBytes > memoryLimitBytes) outOfMemory();
  }, MEMORY_CHECK_MS);

  const log = (text: string, frameBytes: number): void => {
    const room = limits.maxConsoleBytes - consoleBytes;
    const bytes = Buffer.from(clean(text));
    // A frame counts even where its text is empty or shorter than the frame needs.
    consoleBytes += Math.max(bytes.length, Math.ceil(frameBytes / LOG_FRAME_BYTES));
    logs += new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, room), { stream: true });
    if (consoleBytes > limits.maxConsoleBytes) {
      fail('ConsoleLimitError', `the console output has more than ${limits.maxConsoleBytes} bytes`);
    }
  };

  /** Sends what `work` gives, or the error that it may know. */
  const answer = async (
    id: number,
    work: () => Promise<[string | FetchReply, Uint8Array?]>,
  ): Promise<void> => {
    try {
      const [value, body] = await work();
      if (!ended.signal.aborted) await actionProcess.send({ type: 'reply', id, ok: true, value }, body);
    } catch (error) {
      if (ended.signal.aborted) return;
      if (!(error instanceof ActionError)) job.onHostError(error);
      const { name, message } =
        error instanceof ActionError
          ? error
          : { name: 'InternalError', message: 'the service could not do this' };
      await actionProcess.send({ type: 'reply', id, ok: false, name, message });
    }
  };

  const onCall = (message: CallMessage): void => {
    keyOperations += 1;
    if (keyOperations > limits.maxKeyOperations) {
      fail('KeyLimitError', `the action used keys more than ${limits.maxKeyOperations} times`);
      return;
    }
    void answer(message.id, async () => [await callKeyOperation(job.keys, message)]);
  };

  const fetchLimitError = () =>
    new ActionError('FetchLimitError', `the action fetched more than ${limits.maxFetches} times`);
  /** Counts what leaves, redirects included. */
  const countRequest = (): void => {
    requests += 1;
    if (requests <= limits.maxFetches) return;
    failWith(fetchLimitError());
    throw fetchLimitError();
  };
  const startWaitingFetches = (): void => {
    while (fetchesAtOnce < MAX_FETCHES_AT_ONCE) {
      const next = waitingFetches.shift();
      if (!next) return;
      fetchesAtOnce += 1;
      void next().finally(() => {
        fetchesAtOnce -= 1;
        startWaitingFetches();
      });
    }
  };
  const onFetch = (message: FetchMessage, body: Uint8Array): void => {
    fetches += 1;
    if (fetches > limits.maxFetches) {
      failWith(fetchLimitError());
      return;
    }
    const abort = new AbortController();
    fetchAborts.set(message.id, abort);
    waitingFetches.push(async () => {
      const either = AbortSignal.any([ended.signal, abort.signal]);
      if (!either.aborted) {
        await answer(message.id, () =>
          guardedFetch(job.fetchAgent, job.fetchOptions, message, body, either, countRequest),
        );
      }
      fetchAborts.delete(message.id);
    });
    startWaitingFetches();
  };

  const take = (message: ChildMessage, body: Uint8Array, frameBytes: number): void => {
    if (message.type === 'log') log(message.text, frameBytes);
    else if (message.type === 'failed') fail(actionErrorName(message.name), message.message, message.stack);
    else if (message.type === 'done') {
      const response = readResponse(body, limits.maxResponseBytes);
      end((durationMs) => ({ response, logs, hasError: false, durationMs }));
    } else if (message.type === 'abort') {
      aborts += 1;
      if (aborts > limits.maxFetches) throw new ProtocolViolation('abort');
      fetchAborts.get(message.id)?.abort();
    } else if (message.type === 'ready' || message.id <= lastId) {
      throw new ProtocolViolation(message.type);
    } else {
      lastId = message.id;
      if (message.type === 'call') onCall(message);
      else onFetch(message, body);
    }
  };

  actionProcess.onViolation = () => failWith(new ProtocolViolation());
  actionProcess.onMessage = (message, body, frameBytes) => {
    if (ended.signal.aborted) return;
    try {
      take(message, body, frameBytes);
    } catch (error) {
      failWith(error);
    }
  };
  void actionProcess.exited.then((exit) => {
    if (ranOutOfMemory(exit)) outOfMemory();
    else fail('ProcessError', 'the process of the action ended before the action did');
  });
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  else {
    const { maxResponseBytes } = limits;
    const { maxRequestBodyBytes } = job.fetchOptions;
    const { paramsJson: jsParams, maxFrameBytes } = job;
    void actionProcess.send(
      { type: 'run', jsParams, maxResponseBytes, maxRequestBodyBytes, maxFrameBytes },
      Buffer.from(job.code),
    );
  }
  return result.promise;
};

/** V8 and Rust abort the process when memory is refused to them. */
const ranOutOfMemory = ({ signal, stderrTail, ranOutOfMemory }: Exit): boolean =>
  ranOutOfMemory ||
  /out of memory|memory allocation of|Cannot allocate memory/i.test(stderrTail) ||
  signal === 'SIGTRAP' ||
  signal === 'SIGABRT';
