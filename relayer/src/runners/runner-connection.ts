/** The runs and mints of this relayer at one runner. */
import {
  ActionError,
  abortError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type KeyOperation,
  type Load,
  type RunResult,
  RuntimeUnavailableError,
  type ToRunner,
} from '@latchkey/runner-protocol';
import { callKeyOperation, type RunKeys } from '@latchkey/runner-protocol/key-operation';
import {
  callThresholdOperation,
  isThresholdOperation,
  type ThresholdKeys,
} from '@latchkey/runner-protocol/threshold-operation';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { AskNodes } from '../keys/key-nodes.ts';
import { KeyNodesUnavailableError, RunInterruptedError, RunnerCrashedError } from './errors.ts';
import { type Asking, createKeyRequests, KeyRequests } from './key-requests.ts';
import { openRunnerSocket, type RunnerMessage, type SocketOptions } from './runner-socket.ts';

/** Time beyond the limit of a run, or after its stop, in which a runner must report its end. */
const OVERDUE_MS = 10_000;
const NO_LOAD: Load = { idle: 0, starting: 0, running: 0, queued: 0 };

/** A run that needs a process. */
export type Demand = {
  /** Master hash. */
  account: bigint;
  /** Present when the contract permitted the run before: the runner can ask key nodes for a key that the run probably needs. */
  keysOf?: KeysOf | undefined;
};
type KeysOf = {
  /** Hash of the usage key. */
  usageKeyHash: bigint;
  cid: string;
  keys: RunKeySource;
};

/** Where the keys of a run come from: this relayer, or the key nodes, whose answers it cannot open. */
export type RunKeySource =
  | { local: RunKeys & ThresholdKeys }
  | {
      nodes: AskNodes;
      /** Public id of the run, which its requests to the nodes name. */
      runId: string;
      /** Called with a public message when the nodes did not give a key although none refused it. */
      onOutage: (message: string) => void;
      /** Resolves to the certificate of the public key of another action. */
      certificateOf: (cid: string) => Promise<string>;
    };

/** A wallet or a usage key to make at a path. */
export type Mint = { kind: 'mint-wallet' | 'mint-usage-key'; path: bigint };
/** An action whose public key the key nodes sign, and the hash of a usage key that may run it. */
export type ActionOfKey = {
  usageKeyHash: bigint;
  cid: string /** After which it is published. */;
  runId: string;
};

export type RunRequest = KeysOf & {
  code: string;
  /** JSON of the parameters of `main`. */
  params: string;
  timeoutMs: number;
  /** The account has changed since the process was taken: no key that was asked for then is used. */
  hasChanged?: boolean;
  /** Called with the console output as it comes. Without it, the runner sends the output with the result only. */
  onLog?: ((text: string) => void) | undefined;
  /** Of a paid run. It runs from the moment at which the code can begin, and pauses while the run moves to another process. */
  clock?: { start: () => void; pause: () => void } | undefined;
  /** Ends the run. An abort whose reason is an `ActionError` becomes the run's error. */
  signal: AbortSignal;
};

/** A process of the runner, taken for one run. */
export type Taken = {
  /**
   * Runs an action. Errors of the action, a timeout and an exceeded limit are results. Rejects with the `ActionError` of a
   * signal that aborted before, with `NotStartedError` when the runner is lost before the run began, and otherwise with `RuntimeUnavailableError`.
   */
  run: (request: RunRequest) => Promise<RunResult>;
  /** Returns the process unused. */
  release: () => void;
};

/** The runner was lost, or had no process, before the run began: another runner can take it. */
export class NotStartedError extends RuntimeUnavailableError {
  override readonly name = 'NotStartedError';
}

export type RunnerConnection = {
  url: string;
  isOpen: () => boolean;
  /** As the runner told it some milliseconds ago. */
  load: () => Load;
  /** Returns the number of own runs, including those that wait. */
  ownRuns: () => number;
  /** Returns the number of idle processes that own runs have not taken since the runner told it. */
  idle: () => number;
  /** Rejects with `NotStartedError`, or with the reason of `signal` when it aborts. */
  take: (demand: Demand, signal: AbortSignal) => Promise<Taken>;
  /** Returns a process that the runner probably has: `run` takes it, and rejects with `NotStartedError` when there is none. */
  takeIdle: (account: bigint) => Taken;
  /**
   * Has the runner make a key from the key nodes. Resolves to the address of the wallet, or to the secret of the usage key.
   * Rejects with `NotStartedError`, and with `RuntimeUnavailableError` when the key nodes do not answer.
   */
  mint: (mint: Mint, nodes: AskNodes) => Promise<string>;
  /** Has the runner get the certificate of the public key of an action. Rejects as `mint` does. */
  certify: (action: ActionOfKey, nodes: AskNodes) => Promise<string>;
  /** Returns the public key of a connected runner in an enclave. */
  attested: () => string | undefined;
  /** Returns a quote of the runner for the nonce of a key node, as JSON. Rejects as `mint` does. */
  quote: (nonce: string) => Promise<string>;
  close: () => void;
};

export type ConnectionOptions = Pick<SocketOptions, 'url' | 'token' | 'memoryLimitMb' | 'log'> & {
  /** Called when the connection opened, and when it closed. */
  onChange: () => void;
  /** Called with errors of the relayer in key functions, and of the runner. */
  onHostError: (error: unknown, context: { cid: string }) => void;
  /** Called with the identifier of a key node whose answer does not hold. */
  onWrongAnswer: (node: number) => void;
};

type Pending = {
  taken: PromiseWithResolvers<Taken>;
  result: PromiseWithResolvers<RunResult>;
  /** From `take`, until the run begins. */
  keysAhead?: RunKeySource | undefined;
  /** Present for a run that takes an idle process when it begins: the runner can have none. */
  account?: bigint;
  /** Present once the runner may have begun the run. */
  request?: RunRequest;
  keyOperations: number;
  requests: KeyRequests;
};
type Started = Pending & { request: RunRequest };
const isStarted = (pending: Pending): pending is Started => pending.request !== undefined;
type PendingMint = Asking & { minted: PromiseWithResolvers<string> };

export function connectRunner({
  onChange,
  onHostError,
  onWrongAnswer,
  ...options
}: ConnectionOptions): RunnerConnection {
  const runs = new Map<number, Pending>();
  const mints = new Map<number, PendingMint>();
  let lastId = 0;
  let load = NO_LOAD;
  /** Processes that own runs took since the runner told its load. */
  let takenSince = 0;
  let attested: string | undefined;

  const answerKey = async ({ call, run, operation, args }: Extract<FromRunner, { type: 'key' }>) => {
    const pending = runs.get(run);
    const request = pending?.request;
    try {
      if (!request) throw new ActionError('StoppedError', 'the run has ended');
      if (!countKeyOperation(pending))
        throw new ActionError('KeyLimitError', 'the action called too many key functions');
      socket.send({ type: 'key', call, value: await answerTo(request.keys, operation, args) });
    } catch (error) {
      if (!(error instanceof ActionError)) onHostError(error, { cid: request?.cid ?? '' });
      socket.send({ type: 'key refused', call, error: toFailure(error) });
    }
  };

  /** Returns false above the limit: the runner ends such a run, unless it is under the control of an attacker. */
  const countKeyOperation = (pending: Pending | undefined): boolean => {
    if (!pending) return false;
    pending.keyOperations += 1;
    return pending.keyOperations <= defaultLimits.maxKeyOperations;
  };

  /** Returns how a run or mint asks key nodes, undefined when it has ended or has none. */
  const findAsking = (run: number): Asking | undefined => {
    const pending = runs.get(run);
    const keys = pending?.request?.keys ?? pending?.keysAhead;
    if (!pending || !keys) return mints.get(run);
    return 'nodes' in keys ? { ...keys, requests: pending.requests } : undefined;
  };
  const keyRequests = createKeyRequests({
    send: (message) => socket.send(message),
    find: findAsking,
    onError: (error, run) => onHostError(error, { cid: runs.get(run)?.request?.cid ?? '' }),
  });

  const start = (id: number, { request, account }: Started, withCode: boolean): void => {
    const { code, cid, params, timeoutMs, hasChanged = false } = request;
    const usageKeyHash = hexOf(request.usageKeyHash);
    const streamsLogs = request.onLog !== undefined;
    socket.send(
      {
        ...{ type: 'run', id, cid, params, timeoutMs, usageKeyHash, hasChanged, streamsLogs },
        ...runIdOf(request.keys),
        // The process is taken when the runner asks for the code.
        ...(account !== undefined && !withCode && { account: hexOf(account) }),
      },
      withCode ? Buffer.from(code) : undefined,
    );
  };

  const runIn = async (id: number, pending: Pending, request: RunRequest): Promise<RunResult> => {
    if (!socket.isOpen() || runs.get(id) !== pending) throw new NotStartedError('the runner was lost');
    const { signal, timeoutMs, clock } = request;
    if (signal.aborted) throw abortError(signal);
    const lose = () => pending.result.reject(new RuntimeUnavailableError('the runner does not answer'));
    let overdue = setTimeout(lose, timeoutMs + OVERDUE_MS);
    const onAbort = () => {
      socket.send({ type: 'stop', id, error: toFailure(abortError(signal)) });
      clearTimeout(overdue);
      overdue = setTimeout(lose, OVERDUE_MS);
    };
    const startedAt = performance.now();
    const started = Object.assign(pending, { request });
    start(id, started, false);
    clock?.start();
    signal.addEventListener('abort', onAbort);
    try {
      const result = await pending.result.promise;
      // A runner cannot charge for longer than the run lasted here.
      const elapsedMs = Math.ceil(performance.now() - startedAt);
      return { ...result, durationMs: Math.min(result.durationMs, elapsedMs) };
    } catch (error) {
      if (error instanceof NotStartedError) clock?.pause();
      throw error;
    } finally {
      clearTimeout(overdue);
      signal.removeEventListener('abort', onAbort);
      runs.delete(id);
      pending.requests.endAll();
    }
  };

  const open = (of: Pick<Pending, 'keysAhead' | 'account'>): { id: number; pending: Pending } => {
    lastId += 1;
    takenSince += 1;
    const id = lastId;
    const pending: Pending = {
      taken: Promise.withResolvers(),
      result: Promise.withResolvers(),
      keyOperations: 0,
      requests: new KeyRequests(),
      ...of,
    };
    // A lost runner rejects both, and a run waits for one of them.
    for (const { promise } of [pending.taken, pending.result]) promise.catch(() => {});
    runs.set(id, pending);
    return { id, pending };
  };

  const handleOf = (id: number, pending: Pending): Taken => ({
    run: (request) => runIn(id, pending, request),
    release: () => giveBack(id, pending),
  });

  const giveBack = (id: number, { requests }: Pending): void => {
    if (!runs.delete(id)) return;
    requests.endAll();
    socket.send({ type: 'give back', id });
  };

  const receive = (message: RunnerMessage): void => {
    if (message.type === 'load') {
      load = message.load;
      takenSince = 0;
    } else if (message.type === 'key') void answerKey(message);
    else if (message.type === 'key request') void keyRequests.answer(message);
    else if (message.type === 'key request done') keyRequests.end(message);
    else if (message.type === 'wrong answer') onWrongAnswer(message.node);
    else if (message.type === 'minted') mints.get(message.id)?.minted.resolve(message.value);
    else if (message.type === 'mint failed')
      mints.get(message.id)?.minted.reject(new RuntimeUnavailableError(message.message));
    else if (message.type === 'host error') {
      const error = new Error(message.message);
      if (message.stack !== undefined) error.stack = message.stack;
      onHostError(error, { cid: message.cid });
    } else {
      const run = runs.get(message.id);
      if (!run) return;
      if (message.type === 'taken') run.taken.resolve(handleOf(message.id, run));
      else if (message.type === 'unavailable') {
        const settled = run.account === undefined ? run.taken : run.result;
        settled.reject(new NotStartedError(message.message));
      } else if (message.type === 'log') run.request?.onLog?.(message.text);
      else if (message.type === 'result') run.result.resolve(message.result as RunResult);
      else if (isStarted(run)) start(message.id, run, true);
    }
  };

  const loseAll = (isStop: boolean): void => {
    const end = isStop
      ? new RunInterruptedError('the runner stopped before the run ended')
      : new RunnerCrashedError('the runner was lost');
    load = NO_LOAD;
    for (const { taken, result, request } of runs.values()) {
      taken.reject(new NotStartedError('the runner was lost'));
      if (request) result.reject(end);
    }
    for (const { requests } of [...runs.values(), ...mints.values()]) requests.endAll();
    runs.clear();
    for (const { minted } of mints.values()) minted.reject(new NotStartedError('the runner was lost'));
    onChange();
  };

  const socket = openRunnerSocket({
    ...options,
    onOpen(identity) {
      attested = identity;
      onChange();
    },
    onMessage: receive,
    onClose: loseAll,
  });

  const make = async (messageOf: (id: number) => ToRunner, nodes: AskNodes): Promise<string> => {
    if (!socket.isOpen()) throw new NotStartedError('the runner is not connected');
    lastId += 1;
    const id = lastId;
    const minted = Promise.withResolvers<string>();
    const requests = new KeyRequests();
    const onOutage = (message: string) => minted.reject(new KeyNodesUnavailableError(message));
    mints.set(id, { minted, nodes, requests, onOutage });
    socket.send(messageOf(id));
    const overdue = setTimeout(
      () => minted.reject(new RuntimeUnavailableError('the runner does not answer')),
      OVERDUE_MS,
    );
    try {
      return await minted.promise;
    } finally {
      clearTimeout(overdue);
      mints.delete(id);
      requests.endAll();
    }
  };

  return {
    url: options.url,
    isOpen: socket.isOpen,
    load: () => load,
    ownRuns: () => runs.size,
    idle: () => load.idle - takenSince,
    async take({ account, keysOf }, signal) {
      signal.throwIfAborted();
      if (!socket.isOpen()) throw new NotStartedError('the runner is not connected');
      const { id, pending } = open({ keysAhead: keysOf?.keys });
      socket.send({
        ...{ type: 'take', id, account: hexOf(account) },
        ...(keysOf && {
          keysOf: { usageKeyHash: hexOf(keysOf.usageKeyHash), cid: keysOf.cid, ...runIdOf(keysOf.keys) },
        }),
      });
      const onAbort = () => {
        giveBack(id, pending);
        pending.taken.reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      try {
        return await pending.taken.promise;
      } catch (error) {
        runs.delete(id);
        pending.requests.endAll();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    takeIdle: (account) => ({
      async run(request) {
        const { id, pending } = open({ account });
        try {
          return await runIn(id, pending, request);
        } finally {
          runs.delete(id);
        }
      },
      release: () => {},
    }),
    mint: ({ kind, path }, nodes) => make((id) => ({ type: 'mint', id, kind, path: hexOf(path) }), nodes),
    certify: ({ usageKeyHash, ...of }, nodes) =>
      make((id) => ({ type: 'certify', id, usageKeyHash: hexOf(usageKeyHash), ...of }), nodes),
    attested: () => (socket.isOpen() ? attested : undefined),
    quote: (nonce) => make((id) => ({ type: 'quote', id, nonce }), askNone),
    close: socket.close,
  };
}

const askNone: AskNodes = async () => ({ isRefused: true, message: 'a quote needs no key' });

/** Returns the answer to a key function, or the certificate that a runner with key nodes asks for. */
async function answerTo(keys: RunKeySource, operation: KeyOperation, args: unknown): Promise<string> {
  if ('local' in keys)
    return isThresholdOperation(operation)
      ? callThresholdOperation(keys.local, operation, args)
      : callKeyOperation(keys.local, operation, args);
  if (operation !== 'getActionPublicKey')
    throw new Error('the runner has no KEY_GROUP, but this relayer has key nodes');
  return keys.certificateOf(z.object({ ipfsId: z.string() }).parse(args).ipfsId);
}

const runIdOf = (keys: RunKeySource) => ('nodes' in keys ? { runId: keys.runId } : {});

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

/** The part of an error that the action is allowed to see. */
function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
