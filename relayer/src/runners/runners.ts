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
import { connectNamedRunners, type Lookup, lookupAddresses } from './named-runners.ts';
import { hexOf, NotStartedError, type RunRequest } from './remote-run.ts';
import {
  type ConnectionOptions,
  connectRunner,
  type RunnerConnection,
  type RunnerStatus,
} from './runner-connection.ts';
import { isName } from './runner-names.ts';

/** A wallet or a usage key to make at a path. */
export type Mint = { kind: 'mint-wallet' | 'mint-usage-key'; path: bigint };
/** An action whose public key the key nodes sign, the hash of a usage key that may run it, and the run after which it is published. */
export type ActionOfKey = { usageKeyHash: bigint; cid: string; runId: string };

/** Time that a run waits without a runner, in total: longer than a runner takes to restart. The queue of a runner does not count. */
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
  /** Returns each runner, connected or not. */
  status: () => RunnerStatus[];
  /** Returns the runners that are not connected, and the names that lead to none. */
  missing: () => string[];
  /** Returns why runners cannot be used that are not merely away, and why names cannot be looked up. */
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

export type RunnersOptions = Omit<ConnectionOptions, 'url' | 'address' | 'onChange'> & {
  /** RUNNER_URLS. */
  urls: string[];
  /** By default the system's. */
  lookup?: Lookup;
};

export function connectRunners({ urls, lookup = lookupAddresses, ...options }: RunnersOptions): Runners {
  /** Resolves at the next change of a connection. */
  let change = Promise.withResolvers<void>();
  const onChange = (): void => {
    named.onChange();
    change.resolve();
    change = Promise.withResolvers();
  };
  const single = urls
    .filter((url) => !isName(url))
    .map((url) => connectRunner({ ...options, url, onChange }));
  const named = connectNamedRunners({
    urls,
    lookup,
    connect: ({ url, address }) => connectRunner({ ...options, url, address, onChange }),
    log: options.log,
  });
  const connections = () => [...single, ...named.connections()];
  const select: Select = (except, version) =>
    leastLoaded(
      connections().filter((connection) => connection.speaks(version) && !except.has(connection)),
      named.isLeaving,
    );
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
      connections().flatMap((connection) => {
        const identity = connection.attested();
        const quote = (nonce: string) => connection.make((id) => ({ type: 'quote', id, nonce }), askNone);
        return identity === undefined ? [] : [{ identity, quote }];
      }),
    keyGroups: () =>
      connections().flatMap(({ keyGroup }) => {
        const group = keyGroup();
        return group ? [group] : [];
      }),
    load: () => sumOf(connections().map(({ load }) => load())),
    status: () => [
      ...connections().map(({ status }) => status()),
      ...named.missing().map((name) => ({ ...sumOf([]), name, isConnected: false })),
    ],
    missing: () => [
      ...connections().flatMap(({ isOpen, name }) => (isOpen() ? [] : [name])),
      ...named.missing(),
    ],
    faults: () => [...connections().flatMap(({ fault }) => fault() ?? []), ...named.faults()],
    close() {
      named.close();
      for (const connection of single) connection.close();
    },
  };
}

const askNone: AskNodes = async () => ({ isRefused: true, message: 'a quote needs no key' });

function sumOf(loads: Load[]): Load {
  const sum: Load = { idle: 0, starting: 0, running: 0, queued: 0 };
  for (const load of loads)
    for (const [name, count] of Object.entries(load)) sum[name as keyof Load] += count;
  return sum;
}

const loadOf = (connection: RunnerConnection): number => {
  const { idle, running, queued } = connection.load();
  return Math.max(running + queued, connection.ownRuns()) - idle;
};
/** A runner whose address DNS no longer names is selected only when there is no other. */
const leastLoaded = (connections: RunnerConnection[], isLeaving: (connection: RunnerConnection) => boolean) =>
  connections.toSorted((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)) || loadOf(a) - loadOf(b))[0];

/** Selects a runner that speaks this version of the protocol, or a later one. */
type Select = (except: Set<RunnerConnection>, version: number) => RunnerConnection | undefined;

async function runAtAny(
  select: Select,
  changed: () => Promise<void>,
  request: RunRequest,
): Promise<RunResult> {
  let leftMs = WAIT_MS;
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
    if (leftMs <= 0 || refused.size > 0) throw new RuntimeUnavailableError(reason);
    const sinceMs = performance.now();
    await until(changed(), leftMs, request.signal);
    leftMs -= performance.now() - sinceMs;
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
