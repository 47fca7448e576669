/** Runs action code. Each run has its own process, which can reach only the host functions given to it. */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoBinary, spawnForks, spawnPlainly } from '@latchkey/fork-server';
import {
  ActionError,
  defaultLimits,
  type Load,
  type RunLimits,
  type RunResult,
} from '@latchkey/runner-protocol';
import { isAlive } from '@latchkey/service/is-alive';
import { createActionNames, type RunNames } from './fetching/action-names.ts';
import { defaultFetchOptions, type FetchOptions } from './fetching/guarded-agent.ts';
import type { Imports } from './imports/imports.ts';
import type { ActionProcess } from './processes/action-process.ts';
import { programOf, socketsDirOf } from './processes/boot.ts';
import { writeProgram } from './processes/bundle.ts';
import { openCgroups } from './processes/cgroup.ts';
import { killProcessesOf } from './processes/processes.ts';
import { findWalls, type WallName, type WallsOptions, wallNames } from './processes/walls.ts';
import type { CallChain, CallKey, TakeAllowance } from './runs/action-requests.ts';
import type { FindApproval } from './runs/approvals.ts';
import { type Job, loadCode, runJob } from './runs/job.ts';
import { createPool, type Pool } from './scheduling/pool.ts';

export type RuntimeOptions = {
  /** Idle processes, started ahead of runs; forks have about 7 MB each. Default 4. */
  poolSize?: number;
  /** Maximum number of concurrent runs; further ones wait. Default 32. */
  maxConcurrentRuns?: number;
  /** Maximum number of concurrent runs per account. Default 8. */
  maxConcurrentRunsPerAccount?: number;
  /** Limit per process, in MiB. Default 64. */
  memoryLimitMb?: number;
  /** The longest that a run can last: the kernel limits the processor time of a process to a multiple of it. */
  timeoutMs?: number;
  fetch?: Partial<FetchOptions>;
  /** Source of the modules that actions import. Default: none. */
  imports?: Imports;
  /** Walls to put around the processes. Default: all that stand on this machine. */
  walls?: Pick<WallsOptions, 'wanted' | 'findTool'>;
  /** Called with errors on the host's side of a run; the action gets an `InternalError` without detail. */
  onHostError?: (error: unknown, context: { cid: string }) => void;
  /** Called when a run has ended. */
  onEnd?: (outcome: 'success' | 'error' | 'failed') => void;
};

/** Limits of one run. The memory limit belongs to the process. */
export type JobLimits = Omit<RunLimits, 'memoryLimitMb' | 'maxCodeBytes' | 'maxParamsBytes'>;

export type RunRequest = {
  /** UTF-8. */
  code: Uint8Array;
  /** CID text of the code; identifies the run in `onHostError`. */
  cid: string;
  /** JSON of the parameters of `main`. */
  params: string;
  callKey: CallKey;
  takeAllowance?: TakeAllowance | undefined;
  callChain: CallChain;
  findApproval?: FindApproval | undefined;
  /** Default: `defaultLimits`. */
  limits?: Partial<JobLimits>;
  /** Called with the console output as it comes. */
  onLog?: ((text: string) => void) | undefined;
  /** Ends the run. An abort whose reason is an `ActionError` becomes the run's error. */
  signal?: AbortSignal;
};

/** A process that is taken for one run. Use it once. */
export type Slot = {
  /** Runs an action and ends the process. Errors of the action, a timeout and an exceeded limit are results. */
  run: (request: RunRequest) => Promise<RunResult>;
  /** Returns the process unused. */
  release: () => void;
};

export type Runtime = {
  /** The walls around the processes. */
  walls: WallName[];
  /** The reason why each process starts Deno, which takes ten times as long as a fork; undefined when processes are forks. */
  forkError: unknown;
  /** Limits on the processes by the kernel's control groups, for the log. The shell sets further limits. */
  controllers: string[];
  memoryLimitMb: number;
  /**
   * Waits for a process. The runs of an account share its part of the processes and of the name lookups. Rejects with
   * `RuntimeUnavailableError` when no process starts, and with the reason of `signal` when it aborts.
   */
  take: (account: bigint, signal?: AbortSignal) => Promise<Slot>;
  /** Takes an idle process. Undefined when the account must wait for one. */
  takeIdle: (account: bigint) => Slot | undefined;
  stats: () => Load;
  /** Of the pool: see there. */
  pool: Pick<Pool, 'oldestWaitMs' | 'starts'>;
  /** Takes no further run. Resolves when the last one has ended, at the latest after `timeoutMs`. */
  drain: (timeoutMs: number) => Promise<void>;
  /** Calls back soon after each change of the load. Returns the function that stops it. */
  onLoad: (listener: (load: Load) => void) => () => void;
  /** Ends all runs and processes. Resolves when the last one is gone. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Creates a runtime. Resolves when the first process is idle; rejects when processes do not start on this machine. */
export const createRuntime = async (options: RuntimeOptions = {}): Promise<Runtime> => {
  const { memoryLimitMb = defaultLimits.memoryLimitMb } = options;
  const fetchOptions = { ...defaultFetchOptions, ...options.fetch };
  const maxFrameBytes = largestFrame(fetchOptions);
  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `${DIRECTORY_PREFIX}${process.pid}-`));
  const { spawner, standing } = await openSpawner(directory, memoryLimitMb, options);
  const cgroups = openCgroups();
  if (cgroups.controllers.length > 0) standing.add('cgroup');
  const loads = createLoadListeners(() => pool.stats());
  const pool = createPool({
    onChange: loads.tell,
    size: options.poolSize ?? 4,
    maxTaken: options.maxConcurrentRuns ?? 32,
    maxTakenPerAccount: options.maxConcurrentRunsPerAccount ?? 8,
    process: { spawner, maxFrameBytes, cgroups },
  });

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await pool.close();
      await spawner.close();
      loads.close();
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

  const names = createActionNames(fetchOptions.dnsServers);
  const { imports = noImports, onHostError, onEnd } = options;
  const ofSlots = { memoryLimitMb, fetchOptions, maxFrameBytes, imports, onHostError, onEnd };
  const slotOf = (account: bigint, actionProcess: ActionProcess): Slot =>
    openSlot(actionProcess, pool, ofSlots, () => names.forRun(account));
  return {
    walls: wallNames.filter((name) => standing.has(name)),
    forkError: spawner.forkError,
    controllers: cgroups.controllers,
    memoryLimitMb,
    take: async (account, signal) => slotOf(account, await pool.take(account, signal)),
    takeIdle(account) {
      const actionProcess = pool.takeIdle(account);
      return actionProcess && slotOf(account, actionProcess);
    },
    stats: pool.stats,
    pool,
    drain: pool.drain,
    onLoad: loads.add,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Writes the program of the processes into the directory. Returns the function that starts them, and the walls around them. */
async function openSpawner(directory: string, memoryLimitMb: number, options: RuntimeOptions) {
  const scriptPath = await writeProgram(directory);
  // Deno shows it in the errors of some imports.
  const cwd = '/';
  await chmod(directory, 0o711);
  const deno = denoBinary();
  const socketsDir = socketsDirOf(scriptPath);
  const walls = await findWalls({ directory, deno, scriptPath, cwd, socketsDir, ...options.walls });
  const { timeoutMs = defaultLimits.timeoutMs } = options;
  const program = programOf({
    scriptPath,
    cwd,
    memoryLimitMb,
    timeoutMs,
    walls,
    cacheDir: join(directory, 'deno'),
    isBackground: true,
  });
  const wantsForks = options.walls?.wanted?.includes('syscalls') !== false;
  const spawner = wantsForks ? await spawnForks(program) : spawnPlainly(program);
  const standing = new Set<WallName>(walls.standing);
  if (wantsForks && spawner.forkError === undefined) standing.add('syscalls');
  return { spawner, standing };
}

/** Changes within this time are reported together. */
const LOAD_MS = 50;

function createLoadListeners(read: () => Load) {
  const listeners = new Set<(load: Load) => void>();
  let telling: NodeJS.Timeout | undefined;
  return {
    add(listener: (load: Load) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(): void {
      telling ??= setTimeout(() => {
        telling = undefined;
        for (const listener of listeners) listener(read());
      }, LOAD_MS);
    },
    close: () => clearTimeout(telling),
  };
}

type SlotOptions = Required<Pick<RuntimeOptions, 'imports'>> &
  Pick<Job, 'fetchOptions' | 'maxFrameBytes'> & {
    memoryLimitMb: number;
    onHostError: RuntimeOptions['onHostError'];
    onEnd: RuntimeOptions['onEnd'];
  };

function openSlot(
  actionProcess: ActionProcess,
  pool: Pick<Pool, 'finish' | 'giveBack'>,
  { memoryLimitMb, imports, onHostError, onEnd, ...forJob }: SlotOptions,
  namesForRun: () => RunNames,
): Slot {
  let isUsed = false;
  return {
    async run({ code, cid, limits, ...request }) {
      isUsed = true;
      const loaded = loadCode(actionProcess, code, memoryLimitMb);
      const names = namesForRun();
      let outcome: 'success' | 'error' | 'failed' = 'failed';
      try {
        const result = await runJob(actionProcess, {
          ...request,
          ...forJob,
          loaded,
          names,
          load: imports.load,
          signal: request.signal,
          limits: { ...defaultLimits, ...limits, memoryLimitMb },
          onHostError: (error) => onHostError?.(error, { cid }),
        });
        outcome = result.hasError ? 'error' : 'success';
        return result;
      } finally {
        onEnd?.(outcome);
        names.close();
        pool.finish(actionProcess);
      }
    },
    release() {
      if (!isUsed) pool.giveBack(actionProcess);
    },
  };
}

const noImports: Imports = {
  load: () => Promise.reject(new ActionError('ImportError', 'this runner has no imports')),
};

export const DIRECTORY_PREFIX = 'latchkey-runtime-';

/** Removes the directories of runtimes that ended without removing them, and processes that outlived their runtime. */
async function removeLeftovers(): Promise<void> {
  const isLeft = (name: string): boolean => {
    const pid = new RegExp(`^${DIRECTORY_PREFIX}(\\d+)-`).exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  };
  const left = (await readdir(tmpdir())).filter(isLeft).map((name) => join(tmpdir(), name));
  // bubblewrap waits forever for a parent that was killed while it started (containers/bubblewrap#633).
  killProcessesOf(left);
  for (const directory of left) {
    // The directory of another user stays.
    await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** Maximum frame size of a process: a character of text takes at most six bytes of JSON. */
const largestFrame = ({ maxRequestBodyBytes }: FetchOptions): number => {
  const { maxResponseBytes, maxConsoleBytes } = defaultLimits;
  return 64 * 1024 + Math.max(maxRequestBodyBytes, 6 * Math.max(maxResponseBytes, maxConsoleBytes));
};
