/** The runners that names in RUNNER_URLS lead to, as pure transitions. `named-runners.ts` asks DNS, and opens and closes connections. */

/** Addresses of one name that are used at most. */
export const MAX_ADDRESSES = 100;
const SETTLED_MS = 5_000;
const UNSETTLED_MS = 1_000;
const PREFIX = 'dns+';

/** A name with one runner per address. */
export type RunnerName = {
  /** `wss://host:port`. */
  readonly url: string;
  readonly host: string;
  /** Empty for the port of the scheme. */
  readonly port: string;
  /** Position in RUNNER_URLS, from 1. */
  readonly position: number;
  readonly addresses: readonly string[];
  /** Why the last answer cannot be used, or not all of it. Public: names no host. */
  readonly fault: string | undefined;
};

/** One address of a name. */
export type Place = Pick<RunnerName, 'url' | 'port'> & { readonly address: string };

/** Returns the entries of RUNNER_URLS that are names of several runners. */
export const namesIn = (urls: readonly string[]): RunnerName[] =>
  urls.flatMap((entry, i) => {
    if (!isName(entry)) return [];
    const url = entry.slice(PREFIX.length);
    const { hostname: host, port } = new URL(url);
    return [{ url, host, port, position: i + 1, addresses: [], fault: undefined }];
  });

export const isName = (entry: string): boolean => entry.startsWith(PREFIX);

/** Known addresses stay first, because DNS servers rotate their answers: above the limit the same ones are used after each answer. */
export function answered(name: RunnerName, answer: readonly string[]): RunnerName {
  const found = new Set(answer);
  const known = name.addresses.filter((address) => found.has(address));
  return {
    ...name,
    addresses: [...new Set([...known, ...found])].slice(0, MAX_ADDRESSES),
    fault: faultOf(found.size, `entry ${name.position} of RUNNER_URLS`),
  };
}

function faultOf(count: number, entry: string): string | undefined {
  if (count === 0) return `${entry} has no address`;
  return count > MAX_ADDRESSES
    ? `${entry} has ${count} addresses, of which ${MAX_ADDRESSES} are used`
    : undefined;
}

/** Keeps the addresses. */
export const unanswered = (name: RunnerName): RunnerName => ({
  ...name,
  fault: `DNS does not answer for entry ${name.position} of RUNNER_URLS`,
});

/** Returns the time between two lookups. @param isConnected Whether every connection is open. */
export const lookupIntervalMs = ({ fault }: RunnerName, isConnected: boolean): number =>
  fault === undefined && isConnected ? SETTLED_MS : UNSETTLED_MS;

/** Names that lead to the same address and port lead to the same runner. */
const runnerAt = ({ address, port }: Place): string => `${address} ${port}`;

/**
 * Returns the connections to open and to close, and those that only finish their runs, as DNS no longer names their addresses.
 * A runner has one connection: the open one, or else one under the first name that leads to it.
 */
export function planConnections<Present extends Place & { isOpen: boolean }>(
  names: readonly RunnerName[],
  present: readonly Present[],
): { open: Place[]; close: Present[]; leaving: Present[] } {
  const named = new Map<string, Place>();
  for (const { url, port, addresses } of names)
    for (const address of addresses) {
      const place = { url, port, address };
      if (!named.has(runnerAt(place))) named.set(runnerAt(place), place);
    }
  const connected = present.filter(({ isOpen }) => isOpen);
  const unconnected = present.filter(({ isOpen }) => !isOpen);
  const reached = new Set(connected.map(runnerAt));
  const isWanted = (place: Place): boolean =>
    !reached.has(runnerAt(place)) && named.get(runnerAt(place))?.url === place.url;
  const tried = new Set(unconnected.filter(isWanted).map(runnerAt));
  return {
    open: [...named.values()].filter((place) => isWanted(place) && !tried.has(runnerAt(place))),
    close: unconnected.filter((place) => !isWanted(place)),
    leaving: connected.filter((place) => !named.has(runnerAt(place))),
  };
}
