/** The ledger of an account, as the relayer shows it. */
import { setTimeout as delay } from 'node:timers/promises';

export type Entry = {
  number: number;
  kind: string;
  amount_micros: number;
  reason: string;
  reserve: number | null;
  created_at: string;
};

/** Resolves to the body of a GET below `/core/v1` with the key of the account. */
type Get = (path: string) => Promise<unknown>;

/** Returns a function that reads from this relayer with the key. */
export const getFrom =
  (relayerUrl: string, key: string): Get =>
  async (path) => {
    const reply = await fetch(`${relayerUrl}/core/v1/${path}`, { headers: { 'X-Api-Key': key } });
    if (!reply.ok) throw new Error(`${path} returned ${reply.status}`);
    return reply.json();
  };

const PAGE_SIZE = 1_000;
/** How the entries of a kind change the available credit. */
const signs: Record<string, number> = { credit: 1, release: 1, reserve: -1, reverse: -1, capture: 0 };

/** Returns the entries, the oldest first. */
export async function readLedger(get: Get): Promise<Entry[]> {
  // An entry that is added meanwhile moves the others to later pages, which then repeat some.
  const entries = new Map<number, Entry>();
  for (let page = 0; ; page++) {
    const found = (await get(`billing/ledger?page_size=${PAGE_SIZE}&page_number=${page}`)) as Entry[];
    for (const entry of found) entries.set(entry.number, entry);
    if (found.length < PAGE_SIZE) return [...entries.values()].sort((a, b) => a.number - b.number);
  }
}

/**
 * Waits until nothing is reserved and returns the entries. Throws when a reserve stays open or ended twice, and when the entries do not add
 * up to the balance.
 */
export async function settledLedger(get: Get, timeoutMs: number): Promise<Entry[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const entries = await readLedger(get);
    const ends = entries.flatMap(({ reserve }) => reserve ?? []);
    const ended = new Set(ends);
    if (ended.size < ends.length) throw new Error('a reserve ended twice');
    const open = entries.filter(({ kind, number }) => kind === 'reserve' && !ended.has(number));
    if (open.length === 0) {
      const sum = entries.reduce(
        (total, { kind, amount_micros: amount }) => total + (signs[kind] ?? Number.NaN) * amount,
        0,
      );
      const { credit_micros: balance } = (await get('billing/balance')) as { credit_micros: number };
      if (Number(balance) !== sum) throw new Error(`the entries sum to ${sum}, the balance is ${balance}`);
      return entries;
    }
    if (Date.now() > deadline) throw new Error(`still reserved: ${JSON.stringify(open)}`);
    await delay(100);
  }
}
