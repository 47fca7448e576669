/** The heap of this process, for what must not grow with the number of keys, accounts or addresses that come by. */
import { Session } from 'node:inspector/promises';

/** Collects garbage. Resolves to the bytes that are in use. */
export async function usedBytes(): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Handles the account with a number, as a service does for a request. */
export type Passing = {
  pass: (n: number) => unknown;
  /** More accounts than are remembered. */
  accounts: number;
};

const CONCURRENT = 1_000;

/** Passes accounts `from` to below `to`. */
export async function passAccounts({ pass }: Pick<Passing, 'pass'>, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += CONCURRENT)
    await Promise.all(Array.from({ length: Math.min(CONCURRENT, to - n) }, (_, i) => pass(n + i)));
}

/** An entry of a map takes more. */
const BYTES_PER_ACCOUNT = 32;
/** Between two collections of garbage, without any account. */
const NOISE_BYTES = 300_000;

/** Passes accounts until every cache is full, and then as many again. Resolves to whether the latter have left memory in use. */
export async function doesGrow(passing: Passing): Promise<boolean> {
  const { accounts } = passing;
  // Twice: the tables of a full cache grow once more.
  await passAccounts(passing, 0, 2 * accounts);
  const before = await usedBytes();
  await passAccounts(passing, 2 * accounts, 3 * accounts);
  return (await usedBytes()) - before > Math.max(NOISE_BYTES, BYTES_PER_ACCOUNT * accounts);
}

/** The caches and tables of a service, by name. */
export type Passings = Record<string, Passing>;

export type HeapFigures = { littleMb: number; muchMb: number; littleRssMb: number; muchRssMb: number };

/**
 * Passes accounts until every cache is full, and then `rows` more by the largest cache, and by a smaller one in proportion to it. Resolves
 * to the memory after each.
 */
export async function measureHeap(passings: Passings, rows: number): Promise<HeapFigures> {
  const all = Object.values(passings);
  const largest = Math.max(...all.map(({ accounts }) => accounts));
  const rssMb = () => process.memoryUsage.rss() / 2 ** 20;
  for (const passing of all) await passAccounts(passing, 0, 2 * passing.accounts);
  const [littleMb, littleRssMb] = [(await usedBytes()) / 2 ** 20, rssMb()];
  for (const passing of all) {
    const first = 2 * passing.accounts;
    await passAccounts(passing, first, first + Math.ceil((rows * passing.accounts) / largest));
  }
  return { littleMb, littleRssMb, muchMb: (await usedBytes()) / 2 ** 20, muchRssMb: rssMb() };
}
