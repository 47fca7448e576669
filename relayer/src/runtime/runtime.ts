/** Runs action code, each run in a process of its own that can reach nothing but the host functions given to it. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunKeys } from '../keys/release.ts';
import { buildChildScript } from './bundle.ts';
import { ActionError, toRunError } from './errors.ts';
import { createGuardedAgent, defaultFetchOptions, type FetchOptions } from './guarded-fetch.ts';
import { defaultLimits, type RunLimits } from './limits.ts';
import { createPool } from './pool.ts';
import { abortError, failedResult, type RunResult, runJob } from './run.ts';

export type { RunResult };

export type RuntimeOptions = {
  /** Processes that wait, started and warm, for a run; about 30 MB each. Default 4. */
  poolSize?: number;
  /** Runs at once. Default 16. */
  maxConcurrentRuns?: number;
  /** Runs that wait for one of those to end; one more is a `RuntimeUnavailableError`. Default 64. */
  maxQueuedRuns?: number;
  limits?: Partial<RunLimits>;
  fetch?: Partial<FetchOptions>;
  /** Told what went wrong on the host's side of a run; the action gets an `InternalError` without detail. */
  onHostError?: (error: unknown, context: { cid: string }) => void;
};

export type RunRequest = {
  code: string;
  /** CID text of the code; names the run to `onHostError`. */
  cid: string;
  /** Handed to `main`; null and undefined are `{}`. */
  jsParams?: unknown;
  keys: RunKeys;
  /** Ends the run, in the queue too. An abort whose reason is an `ActionError` becomes the run's error. */
  signal?: AbortSignal;
  /** Called when a process took the run. */
  onStart?: () => void;
  /** Overrides for this run. Memory is a property of the process: see `RuntimeOptions.limits`. */
  limits?: Partial<Omit<RunLimits, 'memoryLimitMb'>>;
};

export type RuntimeStats = {
  /** Processes that wait for a run. */
  idle: number;
  /** Processes that are being started. */
  starting: number;
  running: number;
  queued: number;
};

export type Runtime = {
  /**
   * Never rejects for what the action does: a throw, a time-out and a broken limit are results. Rejects with
   * `RuntimeUnavailableError` when no process can take the run.
   */
  run(request: RunRequest): Promise<RunResult>;
  stats(): RuntimeStats;
  /** Ends all runs and processes; resolves when the last one is gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Resolves when the first process waits for a run; rejects when processes do not start on this machine. */
export const createRuntime = async (options: RuntimeOptions = {}): Promise<Runtime> => {
  const limits = { ...defaultLimits, ...options.limits };
  const fetchOptions = { ...defaultFetchOptions, ...options.fetch };
  const maxFrameBytes = largestFrame(limits, fetchOptions);

  const directory = await mkdtemp(join(tmpdir(), 'latchkey-runtime-'));
  const scriptPath = join(directory, 'runtime.js');
  const cwd = join(directory, 'empty');
  await writeFile(scriptPath, await buildChildScript());
  await mkdir(cwd);
  await chmod(cwd, 0o555);
  const { memoryLimitMb, timeoutMs } = limits;
  const pool = createPool({
    size: options.poolSize ?? 4,
    maxTaken: options.maxConcurrentRuns ?? 16,
    maxQueued: options.maxQueuedRuns ?? 64,
    process: { scriptPath, cwd, cacheDir: join(directory, 'deno'), memoryLimitMb, timeoutMs, maxFrameBytes },
  });
  const fetchAgent = createGuardedAgent(fetchOptions);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await pool.close();
      await fetchAgent.destroy();
      await rm(directory, { recursive: true, force: true });
    })();
    return closing;
  };
  try {
    await pool.started;
  } catch (error) {
    await close();
    throw error;
  }

  return {
    async run({ code, cid, jsParams, keys, signal, onStart, ...request }) {
      const runLimits = { ...limits, ...request.limits };
      try {
        const paramsJson = checkInput(code, jsParams, runLimits);
        const actionProcess = await pool.take(signal);
        onStart?.();
        return await runJob(actionProcess, {
          code,
          paramsJson,
          keys,
          limits: runLimits,
          signal,
          fetchAgent,
          fetchOptions,
          maxFrameBytes,
          onHostError: (error) => options.onHostError?.(error, { cid }),
        });
      } catch (error) {
        const known = signal?.aborted ? abortError(signal) : error;
        if (known instanceof ActionError) return failedResult(toRunError(known.name, known.message));
        throw error;
      }
    },
    stats: pool.stats,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** What a process may send in one piece: a character of text takes six bytes of JSON at most. */
const largestFrame = (limits: RunLimits, fetchOptions: FetchOptions): number =>
  64 * 1024 +
  Math.max(fetchOptions.maxRequestBodyBytes, 6 * Math.max(limits.maxResponseBytes, limits.maxConsoleBytes));

/** The JSON of the parameters, when code and parameters keep to their limits. */
const checkInput = (code: string, jsParams: unknown, limits: RunLimits): string => {
  if (Buffer.byteLength(code) > limits.maxCodeBytes) {
    throw new ActionError('CodeLimitError', `the code has more than ${limits.maxCodeBytes} bytes`);
  }
  let json: string;
  try {
    json = JSON.stringify(jsParams ?? {});
  } catch {
    throw new ActionError('ParamsError', 'the parameters are no JSON, or nested too deep');
  }
  if (Buffer.byteLength(json) > limits.maxParamsBytes) {
    throw new ActionError('ParamsLimitError', `the parameters have more than ${limits.maxParamsBytes} bytes`);
  }
  return json;
};
