/** Runs action code. Each run has its own process, which can reach only the host functions given to it. */
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunKeys } from '../keys/release.ts';
import { createActionNames } from './action-names.ts';
import { buildChildScript } from './bundle.ts';
import { openCgroups } from './cgroup.ts';
import { ActionError, toRunError } from './errors.ts';
import { createGuardedAgent, defaultFetchOptions, type FetchOptions } from './guarded-fetch.ts';
import { runJob } from './job.ts';
import { defaultLimits, type RunLimits } from './limits.ts';
import { createPool } from './pool.ts';
import { isAlive } from './processes.ts';
import { abortError, failedResult, type RunResult } from './run-result.ts';

export type { RunResult };

export type RuntimeOptions = {
  /** Idle processes, started and warm; about 30 MB each. Default 4. */
  poolSize?: number;
  /** Maximum number of concurrent runs; further ones wait. Default 32. */
  maxConcurrentRuns?: number;
  /** Maximum number of concurrent runs per account. Default 8. */
  maxConcurrentRunsPerAccount?: number;
  limits?: Partial<RunLimits>;
  fetch?: Partial<FetchOptions>;
  /** Called with errors on the host's side of a run; the action gets an `InternalError` without detail. */
  onHostError?: (error: unknown, context: { cid: string }) => void;
};

export type RunRequest = {
  code: string;
  /** CID text of the code; identifies the run in `onHostError`. */
  cid: string;
  /** Master hash. The runs of an account share its part of the processes and of the name lookups. */
  account: bigint;
  /** Passed to `main`; null and undefined become `{}`. */
  jsParams?: unknown;
  /** Further parameters, by the name of the text in `jsParams` that holds their JSON. Do not count against the limit. */
  jsonParams?: Record<string, string>;
  keys: RunKeys;
  /** Ends the run, also while it waits. An abort whose reason is an `ActionError` becomes the run's error. */
  signal?: AbortSignal;
  /** Called when a process picks up the run. */
  onStart?: () => void;
  /** Overrides for this run. The memory limit belongs to the process: see `RuntimeOptions.limits`. */
  limits?: Partial<Omit<RunLimits, 'memoryLimitMb'>>;
};

export type RuntimeStats = {
  /** Idle processes. */
  idle: number;
  /** Processes that are starting. */
  starting: number;
  running: number;
  queued: number;
};

export type Runtime = {
  /** The kernel's limits on the processes in addition to those of the shell, for the log. */
  controllers: string[];
  /**
   * Runs an action. Errors of the action, a timeout and an exceeded limit are results. Rejects with
   * `RuntimeUnavailableError` when no process can take the run.
   */
  run(request: RunRequest): Promise<RunResult>;
  stats(): RuntimeStats | Promise<RuntimeStats>;
  /** Ends all runs and processes. Resolves when the last one is gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The runtime inside this process. */
export type LocalRuntime = Omit<Runtime, 'stats'> & { stats(): RuntimeStats };

/** Creates a runtime. Resolves when the first process is idle; rejects when processes do not start on this machine. */
export const createRuntime = async (options: RuntimeOptions = {}): Promise<LocalRuntime> => {
  const limits = { ...defaultLimits, ...options.limits };
  const fetchOptions = { ...defaultFetchOptions, ...options.fetch };
  const maxFrameBytes = largestFrame(limits, fetchOptions);

  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `${DIRECTORY_PREFIX}${process.pid}-`));
  const scriptPath = join(directory, 'runtime.js');
  const cwd = join(directory, 'empty');
  await writeFile(scriptPath, await buildChildScript());
  await mkdir(cwd);
  await chmod(cwd, 0o555);
  const { memoryLimitMb, timeoutMs } = limits;
  const cgroups = openCgroups();
  const cacheDir = join(directory, 'deno');
  const pool = createPool({
    size: options.poolSize ?? 4,
    maxTaken: options.maxConcurrentRuns ?? 32,
    maxTakenPerAccount: options.maxConcurrentRunsPerAccount ?? 8,
    process: { scriptPath, cwd, cacheDir, memoryLimitMb, timeoutMs, maxFrameBytes, cgroups },
  });
  const names = createActionNames(fetchOptions.dnsServers);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await pool.close();
      cgroups.close();
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
    controllers: cgroups.controllers,
    async run({ account, code, cid, jsParams, jsonParams = {}, keys, signal, onStart, ...request }) {
      const runLimits = { ...limits, ...request.limits };
      const runNames = names.forRun(account);
      const fetchAgent = createGuardedAgent(fetchOptions, runNames);
      try {
        const paramsJson = addJsonParams(checkInput(code, jsParams, runLimits), jsParams, jsonParams);
        const actionProcess = await pool.take({ account, usesEthers: code.includes('ethers') }, signal);
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
      } finally {
        runNames.close();
      }
    },
    stats: pool.stats,
    close,
    [Symbol.asyncDispose]: close,
  };
};

const DIRECTORY_PREFIX = 'latchkey-runtime-';

/** Removes the directories of runtimes that ended without removing them. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${DIRECTORY_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // The directory of another user stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Maximum frame size of a process: a character of text takes at most six bytes of JSON. */
const largestFrame = (limits: RunLimits, fetchOptions: FetchOptions): number =>
  64 * 1024 +
  Math.max(fetchOptions.maxRequestBodyBytes, 6 * Math.max(limits.maxResponseBytes, limits.maxConsoleBytes));

/** Adds the parameters of `jsonParams` to the JSON of `jsParams`. */
const addJsonParams = (json: string, jsParams: unknown, jsonParams: Record<string, string>): string => {
  const added = Object.entries(jsonParams).map(
    ([name, from]) => `,${JSON.stringify(name)}:${toJson(String(Reflect.get(jsParams as object, from)))}`,
  );
  // Each is made from another parameter, so the object is not empty.
  return added.length === 0 ? json : `${json.slice(0, -1)}${added.join('')}}`;
};

/** Returns the JSON in a text, after a byte order mark if there is one, or the JSON of the text when it is not JSON. */
const toJson = (text: string): string => {
  const json = text.replace(/^\ufeff/, '');
  try {
    JSON.parse(json);
    return json;
  } catch {
    return JSON.stringify(text);
  }
};

/** Returns the JSON of the parameters. Throws when code or parameters exceed their limits. */
const checkInput = (code: string, jsParams: unknown, limits: RunLimits): string => {
  if (Buffer.byteLength(code) > limits.maxCodeBytes) {
    throw new ActionError('CodeLimitError', `the code has more than ${limits.maxCodeBytes} bytes`);
  }
  let json: string;
  try {
    json = JSON.stringify(jsParams ?? {});
  } catch {
    throw new ActionError('ParamsError', 'the parameters are not JSON, or nested too deeply');
  }
  if (Buffer.byteLength(json) > limits.maxParamsBytes) {
    throw new ActionError('ParamsLimitError', `the parameters have more than ${limits.maxParamsBytes} bytes`);
  }
  return json;
};
