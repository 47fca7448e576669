/** The runners that execute actions for this relayer. */
import {
  hasPasskeys,
  type Load,
  type RunResult,
  RuntimeUnavailableError,
  type ToRunner,
} from '@latchkey/runner-protocol';
import { PASSKEYS_VERSION } from '@latchkey/service/versions';
import type { AskNodes } from '../keys/key-nodes.ts';
import { hexOf, NotStartedError, type RunRequest } from './remote-run.ts';
import { type ConnectionOptions, connectRunner, type RunnerConnection } from './runner-connection.ts';

/** A wallet or a usage key to make at a path. */
export type Mint = { kind: 'mint-wallet' | 'mint-usage-key'; path: bigint };
/** An action whose public key the key nodes sign, the hash of a usage key that may run it, and the run after which it is published. */
export type ActionOfKey = { usageKeyHash: bigint; cid: string; runId: string };

/** Time that a run waits for a runner: longer than a runner takes to restart. */
const WAIT_MS = 4_000;
const ANY_VERSION = 1;

export type Runners = {
  /**
   * Runs an action at the runner with the least load, as `RunnerConnection.run` does. A run that has not begun moves to another
   * runner when its own is lost. Rejects with `RuntimeUnavailableError` when no runner can take it within some seconds.
   */
  run: (request: RunRequest) => Promise<RunResult>;
  /** Has a runner make a key from the key nodes. Rejects with `RuntimeUnavailableError`. */
  mint: (mint: Mint, nodes: AskNodes) => Promise<string>;
  /** Has a runner get the certificate of the public key of an action. Rejects with `RuntimeUnavailableError`. */
  certify: (action: ActionOfKey, nodes: AskNodes) => Promise<string>;
  /** Returns the connected runners in enclaves. */
  attested: () => AttestedRunner[];
  /** Returns the KEY_GROUP of each connected runner that has one. */
  keyGroups: () => string[][];
  /** Returns the sums over all connected runners. */
  load: () => Load;
  /** Returns the URLs of the runners that are not connected. */
  missing: () => string[];
  /** Returns why runners cannot be used that are not merely away. */
  faults: () => string[];
  close: () => void;
};

/** A runner in an enclave. */
export type AttestedRunner = {
  /** Public key. */
  identity: string;
  /** Returns a quote for the nonce of a key node, as JSON. */
  quote: (nonce: string) => Promise<string>;
};

export type RunnersOptions = Omit<ConnectionOptions, 'url' | 'onChange'> & { urls: string[] };

export function connectRunners({ urls, ...options }: RunnersOptions): Runners {
  /** Resolves at the next change of a connection. */
  let change = Promise.withResolvers<void>();
  const onChange = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const connections = urls.map((url) => connectRunner({ ...options, url, onChange }));
  const select: Select = (except, version) => leastLoaded(connections, except, version);
  const changed = () => change.promise;

  const make = (messageOf: (id: number) => ToRunner, nodes: AskNodes): Promise<string> =>
    makeAtAny(select, changed, (connection) => connection.make(messageOf, nodes));
  return {
    run: (request) => runAtAny(select, changed, request),
    mint: ({ kind, path }, nodes) =>
      make((id) => ({ type: 'mint', id, kind, path: hexOf(path), withPublicKey: true }), nodes),
    certify: ({ usageKeyHash, ...action }, nodes) =>
      make((id) => ({ type: 'certify', id, usageKeyHash: hexOf(usageKeyHash), ...action }), nodes),
    attested: () =>
      connections.flatMap((connection) => {
        const identity = connection.attested();
        const quote = (nonce: string) => connection.make((id) => ({ type: 'quote', id, nonce }), askNone);
        return identity === undefined ? [] : [{ identity, quote }];
      }),
    keyGroups: () =>
      connections.flatMap(({ keyGroup }) => {
        const group = keyGroup();
        return group ? [group] : [];
      }),
    load: () => {
      const sum: Load = { idle: 0, starting: 0, running: 0, queued: 0 };
      for (const connection of connections)
        for (const [name, count] of Object.entries(connection.load())) sum[name as keyof Load] += count;
      return sum;
    },
    missing: () => connections.filter(({ isOpen }) => !isOpen()).map(({ url }) => url),
    faults: () => connections.flatMap(({ fault }) => fault() ?? []),
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

const askNone: AskNodes = async () => ({ isRefused: true, message: 'a quote needs no key' });

const loadOf = (connection: RunnerConnection): number => {
  const { idle, running, queued } = connection.load();
  return Math.max(running + queued, connection.ownRuns()) - idle;
};
const leastLoaded = (connections: RunnerConnection[], except: Set<RunnerConnection>, version: number) =>
  connections
    .filter((connection) => connection.speaks(version) && !except.has(connection))
    .toSorted((a, b) => loadOf(a) - loadOf(b))[0];

/** Selects a runner that speaks this version of the protocol, or a later one. */
type Select = (except: Set<RunnerConnection>, version: number) => RunnerConnection | undefined;

async function runAtAny(
  select: Select,
  changed: () => Promise<void>,
  request: RunRequest,
): Promise<RunResult> {
  const deadline = performance.now() + WAIT_MS;
  const refused = new Set<RunnerConnection>();
  // A stream must know that the code begins, which is not certain with an idle process.
  let canTakeIdle = request.onLog === undefined;
  const needsPasskeys = request.approved !== undefined && hasPasskeys(request.approved.proofs);
  const version = needsPasskeys ? PASSKEYS_VERSION : ANY_VERSION;
  let reason = needsPasskeys ? 'no runner that knows passkeys is connected' : 'no runner is connected';
  for (;;) {
    const connection = select(refused, version);
    if (connection) {
      const takesIdle = canTakeIdle && connection.idle() > 0;
      try {
        return await connection.run(request, takesIdle);
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
        reason = error.message;
        if (takesIdle) canTakeIdle = false;
        // A runner without free processes has none for a while. A lost runner can be back, so it is asked again.
        else if (connection.isOpen()) refused.add(connection);
        continue;
      }
    }
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 || refused.size > 0) throw new RuntimeUnavailableError(reason);
    await until(changed(), leftMs, request.signal);
  }
}

async function makeAtAny(
  select: Select,
  changed: () => Promise<void>,
  make: (connection: RunnerConnection) => Promise<string>,
): Promise<string> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    try {
      const connection = select(new Set(), ANY_VERSION);
      if (!connection) throw new NotStartedError('no runner is connected');
      return await make(connection);
    } catch (error) {
      const leftMs = deadline - performance.now();
      if (!(error instanceof NotStartedError) || leftMs <= 0) throw error;
      await until(changed(), leftMs, AbortSignal.timeout(WAIT_MS));
    }
  }
}

/** Resolves with the promise or after `timeoutMs`; rejects with the reason of `signal` when it aborts. */
async function until(promise: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, timeoutMs);
  const onAbort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([promise, ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
