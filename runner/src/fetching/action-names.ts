/**
 * Resolves the names that actions fetch from, over DNS only. `dns.lookup` would take libuv's threads, which slow names of
 * actions must not block.
 */
import { getServers } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { ActionError } from '@latchkey/runner-protocol';

/** Total time of one lookup, over all servers. */
const NAME_TIMEOUT_MS = 2_000;
/** Maximum number of concurrent lookups; further ones wait. */
export const MAX_LOOKUPS_PER_RUN = 3;
export const MAX_LOOKUPS_PER_ACCOUNT = 8;

export type NameAddress = { address: string; family: 4 | 6 };

/** The lookups of one run. */
export type RunNames = {
  /** Returns all addresses found within `NAME_TIMEOUT_MS`, at least one. Rejects with an `ActionError`. */
  resolve: (name: string) => Promise<NameAddress[]>;
  /** Ends the lookups of the run, including waiting ones. */
  close: () => void;
};

/** `account` is the master hash. Its limit covers all of its runs. */
export type ActionNames = { forRun: (account: bigint) => RunNames };

type Lookups = { runs: number; underWay: number; waiting: Waiting[] };
/** `start` returns false while the run is at its own limit. */
type Waiting = { run: RunNames; start: () => boolean; drop: () => void };

/** @param servers `address` or `address:port` each, asked in this order. Default: the system's. */
export function createActionNames(servers: string[] = getServers()): ActionNames {
  const accounts = new Map<bigint, Lookups>();
  return {
    forRun(account) {
      const lookups = accounts.get(account) ?? { runs: 0, underWay: 0, waiting: [] };
      accounts.set(account, lookups);
      lookups.runs += 1;
      const ended = new AbortController();
      let underWay = 0;

      const begin = () =>
        new Promise<void>((resolve, reject) => {
          lookups.waiting.push({
            run,
            drop: () => reject(new ActionError('AbortError', 'the run has ended')),
            start() {
              if (underWay >= MAX_LOOKUPS_PER_RUN) return false;
              underWay += 1;
              lookups.underWay += 1;
              resolve();
              return true;
            },
          });
          startWaiting(lookups);
        });
      const run: RunNames = {
        async resolve(name) {
          await begin();
          try {
            return await query(name, servers, ended.signal);
          } finally {
            underWay -= 1;
            lookups.underWay -= 1;
            startWaiting(lookups);
          }
        },
        close() {
          if (ended.signal.aborted) return;
          ended.abort();
          for (const waiting of lookups.waiting) if (waiting.run === run) waiting.drop();
          lookups.waiting = lookups.waiting.filter((waiting) => waiting.run !== run);
          lookups.runs -= 1;
          if (lookups.runs === 0) accounts.delete(account);
        },
      };
      return run;
    },
  };
}

/**
 * Starts the lookups that fit the limits, in the order of arrival. A run at its own limit does not delay others of its
 * account.
 */
function startWaiting(lookups: Lookups): void {
  while (lookups.underWay < MAX_LOOKUPS_PER_ACCOUNT) {
    const next = lookups.waiting.findIndex(({ start }) => start());
    if (next < 0) return;
    lookups.waiting.splice(next, 1);
  }
}

async function query(name: string, servers: string[], signal: AbortSignal): Promise<NameAddress[]> {
  // The resolver drops a late answer to its first query when it queries a server again, so a single server is queried once, for the whole
  // time. Several share it, with one share left for the second round.
  const [shares, tries] = servers.length === 1 ? [1, 1] : [servers.length + 1, 2];
  const resolver = new Resolver({ timeout: Math.ceil(NAME_TIMEOUT_MS / shares), tries });
  resolver.setServers(servers);
  const errors: string[] = [];
  const ask = async (family: 4 | 6): Promise<NameAddress[]> => {
    try {
      const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      return addresses.map((address) => ({ address, family }));
    } catch (error) {
      errors.push((error as NodeJS.ErrnoException).code ?? 'EUNKNOWN');
      return [];
    }
  };
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, NAME_TIMEOUT_MS);
  signal.addEventListener('abort', cancel);
  try {
    const found = (await Promise.all([ask(4), ask(6)])).flat();
    if (found.length > 0) return found;
    throw new ActionError('TypeError', `fetch failed: the name ${name} ${describeFailure(errors)}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

const TIMED_OUT = ['ETIMEOUT', 'ECANCELLED'];
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];

function describeFailure(codes: string[]): string {
  if (codes.some((code) => TIMED_OUT.includes(code))) return `did not resolve in ${NAME_TIMEOUT_MS} ms`;
  const failure = codes.find((code) => !NO_ADDRESS.includes(code));
  return failure === undefined ? 'has no address' : `did not resolve: ${failure}`;
}
