/** A connection to one runner, opened again whenever it breaks. */
import { connect } from 'node:net';
import {
  ActionError,
  abortError,
  defaultLimits,
  type Failure,
  type FromRunner,
  fromRunner,
  keepAlive,
  type Load,
  type RunResult,
  RuntimeUnavailableError,
  readMessage,
  socketPath,
  type ToRunner,
  writeMessage,
} from '@latchkey/runner-protocol';
import { callKeyOperation, type RunKeys } from '@latchkey/runner-protocol/key-operation';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import { WebSocket } from 'ws';
import type { AskNodes, NodeAnswer, NodesEnd } from '../keys/key-nodes.ts';

const RECONNECT_MS = 250;
/** Time beyond the limit of a run, or after its stop, in which a runner must report its end. */
const OVERDUE_MS = 10_000;
/** Messages of a runner: results and arguments of key functions, each at most a megabyte of an action's text. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
const NO_LOAD: Load = { idle: 0, starting: 0, running: 0, queued: 0 };

/** A run that needs a process. */
export type Demand = {
  /** Master hash. */
  account: bigint;
  /** The code names ethers, which a process can load ahead of the run. */
  usesEthers: boolean;
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
  | { local: RunKeys }
  /** `onOutage` is called when the nodes did not give a key although none refused it. */
  | { nodes: AskNodes; onOutage: () => void };

/** A wallet or a usage key to make at a path. */
export type Mint = { kind: 'mint-wallet' | 'mint-usage-key'; path: bigint };

export type RunRequest = KeysOf & {
  code: string;
  /** JSON of the parameters of `main`. */
  params: string;
  timeoutMs: number;
  /** The account has changed since the process was taken: no key that was asked for then is used. */
  hasChanged?: boolean;
  /** Called with the console output as it comes. Without it, the runner sends the output with the result only. */
  onLog?: ((text: string) => void) | undefined;
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
  /** Rejects with `NotStartedError`, or with the reason of `signal` when it aborts. */
  take: (demand: Demand, signal: AbortSignal) => Promise<Taken>;
  /**
   * Has the runner make a key from the key nodes. Resolves to the address of the wallet, or to the secret of the usage key.
   * Rejects with `NotStartedError`, and with `RuntimeUnavailableError` when the key nodes do not answer.
   */
  mint: (mint: Mint, nodes: AskNodes) => Promise<Hex>;
  close: () => void;
};

export type ConnectionOptions = {
  /** `unix:<path>`, `ws://…` or `wss://…`. */
  url: string;
  token: string | undefined;
  /** The limit that the relayer tells its users. */
  memoryLimitMb: number;
  log: Logger;
  /** Called when the connection opened, and when it closed. */
  onChange: () => void;
  /** Called with errors of the relayer in key functions, and of the runner. */
  onHostError: (error: unknown, context: { cid: string }) => void;
};

type Pending = {
  taken: PromiseWithResolvers<Taken>;
  result: PromiseWithResolvers<RunResult>;
  /** From `take`, until the run begins. */
  keysAhead: RunKeySource | undefined;
  /** Present once the runner may have begun the run. */
  request?: RunRequest;
  keyOperations: number;
  releases: Releases;
};

/** Requests of one run or mint to the key nodes, by call. They end with it. */
type Releases = Map<number, { done: AbortController; isRefused: boolean }>;
type PendingMint = { minted: PromiseWithResolvers<Hex>; nodes: AskNodes; releases: Releases };

/**
 * Of a run to the key nodes. Its runner may ask for a key ahead when it takes the process and when the run begins, and twice for
 * each: with proofs when the first answers are wrong.
 */
const MAX_KEY_REQUESTS = 2 * (defaultLimits.maxKeyOperations + 2);

export function connectRunner(options: ConnectionOptions): RunnerConnection {
  const { url, log, onHostError } = options;
  const runs = new Map<number, Pending>();
  const mints = new Map<number, PendingMint>();
  let lastId = 0;
  let socket: WebSocket | undefined;
  let isOpen = false;
  let load = NO_LOAD;
  let reconnect: NodeJS.Timeout | undefined;
  let isClosed = false;

  const send = (message: ToRunner, body?: Uint8Array): void => {
    if (isOpen) socket?.send(writeMessage(message, body));
  };

  const answerKey = async ({ call, run, operation, args }: Extract<FromRunner, { type: 'key' }>) => {
    const pending = runs.get(run);
    const request = pending?.request;
    try {
      if (!request) throw new ActionError('StoppedError', 'the run has ended');
      if (!countKeyOperation(pending))
        throw new ActionError('KeyLimitError', 'the action called too many key functions');
      if (!('local' in request.keys))
        throw new Error('the runner has no KEY_GROUP, but this relayer has key nodes');
      send({ type: 'key', call, value: await callKeyOperation(request.keys.local, operation, args) });
    } catch (error) {
      if (!(error instanceof ActionError)) onHostError(error, { cid: request?.cid ?? '' });
      send({ type: 'key refused', call, error: toFailure(error) });
    }
  };

  /** Returns false above the limit: the runner ends such a run, unless it is under the control of an attacker. */
  const countKeyOperation = (pending: Pending | undefined): boolean => {
    if (!pending) return false;
    pending.keyOperations += 1;
    return pending.keyOperations <= defaultLimits.maxKeyOperations;
  };

  /** Returns how a run or mint asks key nodes, undefined when it has ended or has none. */
  const nodesOf = (run: number): { nodes: AskNodes; releases: Releases } | undefined => {
    const pending = runs.get(run);
    const keys = pending?.request?.keys ?? pending?.keysAhead;
    if (!pending || !keys) return mints.get(run);
    return 'nodes' in keys ? { nodes: keys.nodes, releases: pending.releases } : undefined;
  };

  const answerRelease = async ({ call, run, signed }: Extract<FromRunner, { type: 'release' }>) => {
    const asking = nodesOf(run);
    if (!asking || asking.releases.has(call) || asking.releases.size >= MAX_KEY_REQUESTS) {
      const message = 'the run has ended, has no key nodes, or has asked too often';
      return send({ type: 'partials end', call, isRefused: true, message });
    }
    const release = { done: new AbortController(), isRefused: false };
    asking.releases.set(call, release);
    const answer = (found: NodeAnswer) => send({ type: 'partial', call, ...found });
    let end: NodesEnd;
    try {
      end = await asking.nodes(signed, answer, release.done.signal);
    } catch (error) {
      onHostError(error, { cid: runs.get(run)?.request?.cid ?? '' });
      end = { isRefused: false, message: 'the key nodes are not available' };
    }
    release.isRefused = end.isRefused;
    send({ type: 'partials end', call, ...end });
  };

  const endRelease = ({ call, run, isMissing }: Extract<FromRunner, { type: 'release done' }>): void => {
    const pending = runs.get(run);
    const release = (pending ?? mints.get(run))?.releases.get(call);
    release?.done.abort();
    const keys = pending?.request?.keys;
    if (release && isMissing && !release.isRefused && keys && 'nodes' in keys) keys.onOutage();
  };

  const start = (id: number, request: RunRequest, withCode: boolean): void => {
    const { code, cid, params, timeoutMs, hasChanged = false } = request;
    const usageKeyHash = hexOf(request.usageKeyHash);
    const streamsLogs = request.onLog !== undefined;
    send(
      { type: 'run', id, cid, params, timeoutMs, usageKeyHash, hasChanged, streamsLogs },
      withCode ? Buffer.from(code) : undefined,
    );
  };

  const handleOf = (id: number, pending: Pending): Taken => ({
    async run(request) {
      if (!isOpen || runs.get(id) !== pending) throw new NotStartedError('the runner was lost');
      const { signal, timeoutMs } = request;
      if (signal.aborted) throw abortError(signal);
      const lose = () => pending.result.reject(new RuntimeUnavailableError('the runner does not answer'));
      let overdue = setTimeout(lose, timeoutMs + OVERDUE_MS);
      const onAbort = () => {
        send({ type: 'stop', id, error: toFailure(abortError(signal)) });
        clearTimeout(overdue);
        overdue = setTimeout(lose, OVERDUE_MS);
      };
      const startedAt = performance.now();
      pending.request = request;
      start(id, request, false);
      signal.addEventListener('abort', onAbort);
      try {
        const result = await pending.result.promise;
        // A runner cannot charge for longer than the run lasted here.
        const elapsedMs = Math.ceil(performance.now() - startedAt);
        return { ...result, durationMs: Math.min(result.durationMs, elapsedMs) };
      } finally {
        clearTimeout(overdue);
        signal.removeEventListener('abort', onAbort);
        runs.delete(id);
        abortAll(pending.releases);
      }
    },
    release: () => giveBack(id, pending),
  });

  const giveBack = (id: number, { releases }: Pending): void => {
    if (!runs.delete(id)) return;
    abortAll(releases);
    send({ type: 'release', id });
  };

  const receive = (message: FromRunner): void => {
    if (message.type === 'hello') greet(message);
    else if (message.type === 'load') load = message.load;
    else if (message.type === 'key') void answerKey(message);
    else if (message.type === 'release') void answerRelease(message);
    else if (message.type === 'release done') endRelease(message);
    else if (message.type === 'minted') mints.get(message.id)?.minted.resolve(message.value as Hex);
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
      else if (message.type === 'unavailable') run.taken.reject(new NotStartedError(message.message));
      else if (message.type === 'log') run.request?.onLog?.(message.text);
      else if (message.type === 'result') run.result.resolve(message.result as RunResult);
      else if (run.request) start(message.id, run.request, true);
    }
  };

  const greet = ({ memoryLimitMb, walls }: Extract<FromRunner, { type: 'hello' }>): void => {
    if (memoryLimitMb < options.memoryLimitMb) {
      const limits = { runner_mb: memoryLimitMb, relayer_mb: options.memoryLimitMb };
      log.error({ url, ...limits }, 'a runner has a lower RUN_MEMORY_LIMIT_MB than this relayer');
      socket?.terminate();
      return;
    }
    isOpen = true;
    log.info({ url, walls }, 'connected to a runner');
    options.onChange();
  };

  const lose = (): void => {
    const wasOpen = isOpen;
    isOpen = false;
    load = NO_LOAD;
    for (const { taken, result, request } of runs.values()) {
      taken.reject(new NotStartedError('the runner was lost'));
      if (request) result.reject(new RuntimeUnavailableError('the runner was lost'));
    }
    for (const { releases } of [...runs.values(), ...mints.values()]) abortAll(releases);
    runs.clear();
    for (const { minted } of mints.values()) minted.reject(new NotStartedError('the runner was lost'));
    if (isClosed) return;
    if (wasOpen) log.error({ url }, 'lost a runner and its runs');
    options.onChange();
    reconnect = setTimeout(open, RECONNECT_MS);
  };

  const open = (): void => {
    const opening = openSocket(url, options.token);
    socket = opening;
    opening.on('open', () => keepAlive(opening));
    // `close` follows.
    opening.on('error', (err) => log.debug({ err, url }, 'the connection to a runner failed'));
    opening.on('close', lose);
    opening.on('message', (data: Buffer) => {
      try {
        receive(readMessage(fromRunner, data).message);
      } catch (err) {
        log.error({ err, url }, 'a runner sent an invalid message: closing the connection');
        opening.terminate();
      }
    });
  };
  open();

  return {
    url,
    isOpen: () => isOpen,
    load: () => load,
    ownRuns: () => runs.size,
    async take({ account, usesEthers, keysOf }, signal) {
      signal.throwIfAborted();
      if (!isOpen) throw new NotStartedError('the runner is not connected');
      lastId += 1;
      const id = lastId;
      const pending: Pending = {
        taken: Promise.withResolvers(),
        result: Promise.withResolvers(),
        keyOperations: 0,
        keysAhead: keysOf?.keys,
        releases: new Map(),
      };
      pending.result.promise.catch(() => {}); // a lost runner, before `run` is called
      runs.set(id, pending);
      send({
        ...{ type: 'take', id, account: hexOf(account), usesEthers },
        ...(keysOf && { keysOf: { usageKeyHash: hexOf(keysOf.usageKeyHash), cid: keysOf.cid } }),
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
        abortAll(pending.releases);
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    async mint({ kind, path }, nodes) {
      if (!isOpen) throw new NotStartedError('the runner is not connected');
      lastId += 1;
      const id = lastId;
      const minted = Promise.withResolvers<Hex>();
      const releases: Releases = new Map();
      mints.set(id, { minted, nodes, releases });
      send({ type: 'mint', id, kind, path: hexOf(path) });
      const overdue = setTimeout(
        () => minted.reject(new RuntimeUnavailableError('the runner does not answer')),
        OVERDUE_MS,
      );
      try {
        return await minted.promise;
      } finally {
        clearTimeout(overdue);
        mints.delete(id);
        abortAll(releases);
      }
    },
    close() {
      isClosed = true;
      clearTimeout(reconnect);
      socket?.terminate();
    },
  };
}

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

function abortAll(releases: Releases): void {
  for (const { done } of releases.values()) done.abort();
}

function openSocket(url: string, token: string | undefined): WebSocket {
  const path = /^unix:(.+)$/.exec(url)?.[1];
  return new WebSocket(path === undefined ? url : 'ws://runner', {
    maxPayload: MAX_REPLY_BYTES,
    handshakeTimeout: 5_000,
    perMessageDeflate: false,
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    ...(path !== undefined && { createConnection: () => connect(socketPath(path)) }),
  });
}

/** The part of an error that the action is allowed to see. */
function toFailure(error: unknown): Failure {
  return error instanceof ActionError
    ? { name: error.name, message: error.message }
    : { name: 'InternalError', message: 'internal error of the relayer' };
}
