/** Connections to the runners that names in RUNNER_URLS lead to: one per address, as `runner-names.ts` decides. */
import { lookup as lookupBySystem } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { RunnerConnection } from './runner-connection.ts';
import {
  answered,
  lookupIntervalMs,
  namesIn,
  type Place,
  planConnections,
  type RunnerName,
  unanswered,
} from './runner-names.ts';

/** A lookup that takes longer is a fault. It is awaited all the same: each one holds a thread of the process. */
const SLOW_LOOKUP_MS = 5_000;

/** Resolves to the addresses of a host: to none when DNS says that there are none. Rejects when DNS does not answer. */
export type Lookup = (host: string) => Promise<string[]>;

/**
 * Asks the system, as connections to all other URLs do: its hosts file and search domains count, which the resolver of `node:dns` does not
 * read. A runner with an IPv4 and an IPv6 address is one runner, so IPv6 is asked for only without IPv4 addresses.
 */
export const lookupAddresses: Lookup = async (host) => {
  for (const family of [4, 6])
    try {
      return (await lookupBySystem(host, { all: true, family })).map(({ address }) => address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTFOUND') throw error;
    }
  return [];
};

export type NamedRunners = {
  connections: () => RunnerConnection[];
  /** Returns whether DNS no longer names the address of a connected runner. */
  isLeaving: (connection: RunnerConnection) => boolean;
  /** Returns the names that have no address. */
  missing: () => string[];
  faults: () => string[];
  /** Call when a connection opened or closed, or did not open. */
  onChange: () => void;
  close: () => void;
};

export type NamedRunnersOptions = {
  /** RUNNER_URLS. */
  urls: string[];
  lookup: Lookup;
  connect: (place: Place) => RunnerConnection;
  log: Logger;
};

export function connectNamedRunners({ urls, lookup, connect, log }: NamedRunnersOptions): NamedRunners {
  let present: (Place & { connection: RunnerConnection })[] = [];
  let leaving = new Set<RunnerConnection>();
  let isClosed = false;

  const apply = (): void => {
    if (isClosed) return;
    const plan = planConnections(
      followed.map(({ name }) => name()),
      present.map((each) => ({ ...each, isOpen: each.connection.isOpen() })),
    );
    const closed = new Set(plan.close.map(({ connection }) => connection));
    leaving = new Set(plan.leaving.map(({ connection }) => connection));
    present = [
      ...present.filter(({ connection }) => !closed.has(connection)),
      ...plan.open.map((place) => ({ ...place, connection: connect(place) })),
    ];
    for (const connection of closed) connection.close();
  };
  const isConnected = () => present.every(({ connection }) => connection.isOpen());
  const followed = namesIn(urls).map((name) =>
    followName(name, { lookup, log, isConnected, onAnswer: apply }),
  );
  for (const { start } of followed) start();

  return {
    connections: () => present.map(({ connection }) => connection),
    isLeaving: (connection) => leaving.has(connection),
    missing: () =>
      followed.flatMap(({ name }) => (name().addresses.length === 0 ? [`dns+${name().url}`] : [])),
    faults: () => followed.flatMap(({ name }) => name().fault ?? []),
    onChange() {
      apply();
      for (const { reschedule } of followed) reschedule();
    },
    close() {
      isClosed = true;
      for (const { stop } of followed) stop();
      for (const { connection } of present) connection.close();
    },
  };
}

type FollowOptions = Pick<NamedRunnersOptions, 'lookup' | 'log'> & {
  /** Returns whether every connection is open. */
  isConnected: () => boolean;
  onAnswer: () => void;
};

/** Looks a name up until it is stopped, never concurrently. */
function followName(first: RunnerName, { lookup, log, isConnected, onAnswer }: FollowOptions) {
  let name = first;
  let endedAtMs = 0;
  let isAsking = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const learn = (next: RunnerName, err?: unknown): void => {
    if (isStopped) return;
    if (next.fault !== undefined && next.fault !== name.fault)
      log.error({ url: name.url, err, reason: next.fault }, 'failed to find runners by their name');
    name = next;
    onAnswer();
  };
  const ask = async (): Promise<void> => {
    isAsking = true;
    const slow = setTimeout(() => learn(unanswered(name)), SLOW_LOOKUP_MS).unref();
    await lookup(name.host).then(
      (addresses) => learn(answered(name, addresses)),
      (err: unknown) => learn(unanswered(name), err),
    );
    clearTimeout(slow);
    isAsking = false;
    endedAtMs = performance.now();
    reschedule();
  };
  const reschedule = (): void => {
    clearTimeout(timer);
    if (isAsking || isStopped) return;
    const dueMs = endedAtMs + lookupIntervalMs(name, isConnected());
    timer = setTimeout(ask, Math.max(0, dueMs - performance.now()));
  };

  return {
    name: () => name,
    start: () => void ask(),
    reschedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
