/** The runners that execute actions for this relayer. */
import { type Load, RuntimeUnavailableError } from '@latchkey/runner-protocol';
import type { AskNodes } from '../keys/key-nodes.ts';
import {
  type ActionOfKey,
  type ConnectionOptions,
  connectRunner,
  type Demand,
  type Mint,
  NotStartedError,
  type RunnerConnection,
  type Taken,
} from './runner-connection.ts';

export type { ActionOfKey, Demand, Mint, RunRequest, Taken } from './runner-connection.ts';

/** Time that a run waits for a runner. A restarted runner is back before. */
const WAIT_MS = 4_000;

export type Runners = {
  /**
   * Takes a process of the runner with the least load. A run that has not begun moves to another runner when its own is
   * lost. Rejects with `RuntimeUnavailableError` when no runner can take it within some seconds, and with the reason of
   * `signal` when it aborts.
   */
  take: (demand: Demand, signal: AbortSignal) => Promise<Taken>;
  /**
   * Returns a process that a runner has idle, as it told some milliseconds ago. `run` takes it without a message of its own, and
   * waits as `take` does when there is none any more. Undefined when no process is idle.
   */
  takeIdle: (demand: Demand) => Taken | undefined;
  /** Has a runner make a key from the key nodes. Rejects with `RuntimeUnavailableError`. */
  mint: (mint: Mint, nodes: AskNodes) => Promise<string>;
  /** Has a runner get the certificate of the public key of an action. Rejects with `RuntimeUnavailableError`. */
  certify: (action: ActionOfKey, nodes: AskNodes) => Promise<string>;
  /** Returns the connected runners in enclaves. */
  attested: () => AttestedRunner[];
  /** Returns the sums over all connected runners. */
  load: () => Load;
  /** Returns the URLs of the runners that are not connected. */
  missing: () => string[];
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
  const loadOf = (connection: RunnerConnection): number => {
    const { idle, running, queued } = connection.load();
    return Math.max(running + queued, connection.ownRuns()) - idle;
  };
  const leastLoaded = (except: Set<RunnerConnection>): RunnerConnection | undefined =>
    connections
      .filter((connection) => connection.isOpen() && !except.has(connection))
      .toSorted((a, b) => loadOf(a) - loadOf(b))[0];

  const takeFromAny = async (demand: Demand, signal: AbortSignal): Promise<Taken> => {
    const deadline = performance.now() + WAIT_MS;
    const refused = new Set<RunnerConnection>();
    let reason = 'no runner is connected';
    for (;;) {
      const connection = leastLoaded(refused);
      if (connection) {
        try {
          return await connection.take(demand, signal);
        } catch (error) {
          if (!(error instanceof NotStartedError)) throw error;
          reason = error.message;
          // A runner without processes stays without for a while; a lost one can be back.
          if (connection.isOpen()) refused.add(connection);
          continue;
        }
      }
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || refused.size > 0) throw new RuntimeUnavailableError(reason);
      await until(change.promise, leftMs, signal);
    }
  };

  const make = async (at: (connection: RunnerConnection) => Promise<string>): Promise<string> => {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      try {
        const connection = leastLoaded(new Set());
        if (!connection) throw new NotStartedError('no runner is connected');
        return await at(connection);
      } catch (error) {
        const leftMs = deadline - performance.now();
        if (!(error instanceof NotStartedError) || leftMs <= 0) throw error;
        await until(change.promise, leftMs, AbortSignal.timeout(WAIT_MS));
      }
    }
  };

  /** Takes another process when the run could not begin in this one. */
  const movable = (first: Taken, demand: Demand): Taken => {
    let taken = first;
    return {
      async run(request) {
        for (;;) {
          try {
            return await taken.run(request);
          } catch (error) {
            if (!(error instanceof NotStartedError)) throw error;
            taken = await takeFromAny(demand, request.signal);
          }
        }
      },
      release: () => taken.release(),
    };
  };

  return {
    mint: (mint, nodes) => make((connection) => connection.mint(mint, nodes)),
    certify: (action, nodes) => make((connection) => connection.certify(action, nodes)),
    take: async (demand, signal) => movable(await takeFromAny(demand, signal), demand),
    takeIdle(demand) {
      const connection = leastLoaded(new Set());
      return connection && connection.idle() > 0
        ? movable(connection.takeIdle(demand.account), demand)
        : undefined;
    },
    attested: () =>
      connections.flatMap((connection) => {
        const identity = connection.attested();
        return identity === undefined ? [] : [{ identity, quote: connection.quote }];
      }),
    load: () => {
      const sum: Load = { idle: 0, starting: 0, running: 0, queued: 0 };
      for (const connection of connections)
        for (const [name, count] of Object.entries(connection.load())) sum[name as keyof Load] += count;
      return sum;
    },
    missing: () => connections.filter(({ isOpen }) => !isOpen()).map(({ url }) => url),
    close() {
      for (const connection of connections) connection.close();
    },
  };
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
