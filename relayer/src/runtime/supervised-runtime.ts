/** The runtime as the relayer uses it: in a process of its own, restarted when it dies. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ActionError, RuntimeUnavailableError } from './errors.ts';
import { callKeyOperation } from './key-operation.ts';
import { abortError } from './run-result.ts';
import type { RunRequest, RunResult, Runtime, RuntimeOptions, RuntimeStats } from './runtime.ts';
import type { FromSupervisor, SupervisorOptions, ToSupervisor } from './supervisor-protocol.ts';

const supervisorPath = fileURLToPath(new URL('./supervisor.ts', import.meta.url));
const RESTART_MS = 1_000;
const CLOSE_DEADLINE_MS = 10_000;

type PendingRun = PromiseWithResolvers<RunResult> & Pick<RunRequest, 'cid' | 'keys' | 'onStart'>;

export type SupervisedRuntimeOptions = RuntimeOptions & {
  /** Called when the process died with its runs; another one is started. */
  onLost?: (error: Error) => void;
};

/** Resolves when the first process is idle; rejects when processes do not start on this machine. */
export async function startSupervisedRuntime({
  onHostError,
  onLost,
  ...options
}: SupervisedRuntimeOptions = {}): Promise<Runtime> {
  const runs = new Map<number, PendingRun>();
  const statsCalls = new Map<number, PromiseWithResolvers<RuntimeStats>>();
  let lastId = 0;
  let closed = false;
  let restart: NodeJS.Timeout | undefined;
  let current: { child: ChildProcess; ready: Promise<string[]> };

  const send = (message: ToSupervisor): void => {
    // A message to a process that is gone has no effect: its `exit` handler rejects the calls that wait.
    if (current.child.connected) current.child.send(message, () => {});
  };
  const answerKeyCall = async (message: Extract<FromSupervisor, { type: 'key' }>): Promise<void> => {
    const { call, operation, args } = message;
    const run = runs.get(message.run);
    try {
      if (!run) throw new ActionError('StoppedError', 'the run has ended');
      send({ type: 'key', call, value: await callKeyOperation(run.keys, { operation, args }) });
    } catch (error) {
      if (!(error instanceof ActionError)) onHostError?.(error, { cid: run?.cid ?? '' });
      const { name, message } =
        error instanceof ActionError
          ? error
          : { name: 'InternalError', message: 'internal error of the relayer' };
      send({ type: 'key refused', call, error: { name, message } });
    }
  };
  const take = (message: FromSupervisor): void => {
    if (message.type === 'started') runs.get(message.id)?.onStart?.();
    else if (message.type === 'result') runs.get(message.id)?.resolve(message.result);
    else if (message.type === 'unavailable')
      runs.get(message.id)?.reject(new RuntimeUnavailableError(message.message));
    else if (message.type === 'key') void answerKeyCall(message);
    else if (message.type === 'stats') statsCalls.get(message.id)?.resolve(message.stats);
    else if (message.type === 'host error') {
      const error = new Error(message.message);
      if (message.stack !== undefined) error.stack = message.stack;
      onHostError?.(error, { cid: message.cid });
    }
  };
  const onExit = (child: ChildProcess): void => {
    const lost = new RuntimeUnavailableError('the runtime process exited');
    for (const { reject } of runs.values()) reject(lost);
    for (const { reject } of statsCalls.values()) reject(lost);
    if (closed || current.child !== child) return;
    onLost?.(lost);
    restart = setTimeout(() => {
      current = startSupervisor(options, take, onExit);
      current.ready.catch(() => {}); // the `exit` handler starts another one
    }, RESTART_MS);
  };

  current = startSupervisor(options, take, onExit);
  const controllers = await current.ready.catch((error: unknown) => {
    closed = true;
    clearTimeout(restart);
    throw error;
  });

  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(restart);
    const { child } = current;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    send({ type: 'close' });
    const deadline = setTimeout(() => child.kill('SIGKILL'), CLOSE_DEADLINE_MS);
    await exited;
    clearTimeout(deadline);
  };
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };

  return {
    controllers,
    async run(request) {
      if (closed || !current.child.connected)
        throw new RuntimeUnavailableError('the runtime is closed or starting');
      lastId += 1;
      const id = lastId;
      const { account, code, cid, jsParams, jsonParams = {}, keys, limits, signal, onStart } = request;
      const pending: PendingRun = {
        ...Promise.withResolvers<RunResult>(),
        cid,
        keys,
        ...(onStart && { onStart }),
      };
      runs.set(id, pending);
      const onAbort = (): void => {
        const { name, message } = abortError(signal as AbortSignal);
        send({ type: 'stop', id, error: { name, message } });
      };
      signal?.addEventListener('abort', onAbort);
      send({
        type: 'run',
        id,
        request: { account, code, cid, jsParams, jsonParams, ...(limits && { limits }) },
      });
      if (signal?.aborted) onAbort();
      try {
        return await pending.promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        runs.delete(id);
      }
    },
    async stats() {
      if (closed || !current.child.connected) return { idle: 0, starting: 0, running: 0, queued: 0 };
      lastId += 1;
      const id = lastId;
      const call = Promise.withResolvers<RuntimeStats>();
      statsCalls.set(id, call);
      send({ type: 'stats', id });
      return call.promise.finally(() => statsCalls.delete(id));
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/**
 * Starts the process without the environment of this one. `ready` resolves to the controllers of the action processes.
 */
function startSupervisor(
  options: SupervisorOptions,
  take: (message: FromSupervisor) => void,
  onExit: (child: ChildProcess) => void,
): { child: ChildProcess; ready: Promise<string[]> } {
  const child = fork(supervisorPath, {
    serialization: 'advanced',
    env: { PATH: process.env.PATH },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = Promise.withResolvers<string[]>();
  child.on('message', (message: FromSupervisor) => {
    if (message.type === 'ready') ready.resolve(message.controllers);
    else if (message.type === 'failed to start') ready.reject(new Error(message.message));
    else take(message);
  });
  child.once('error', ready.reject);
  child.once('exit', () => {
    ready.reject(new Error('the runtime process exited before it was ready'));
    onExit(child);
  });
  child.send({ type: 'start', options } satisfies ToSupervisor, () => {});
  return { child, ready: ready.promise };
}
