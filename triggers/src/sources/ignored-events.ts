/** Events that the `if` of their trigger does not match. */
import { eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { triggers } from '../db/schema.ts';
import type { AcceptOptions } from '../runs/accept.ts';
import type { Filtered, Ignored } from './filter.ts';

/** An error is stored once in this time, so that a flood of events costs no statements. */
const ERROR_MS = 60_000;
const MAX_ERROR_CHARACTERS = 300;
const noted = new LRUCache<string, true>({ max: 10_000, ttl: ERROR_MS });

/** Counts an event that fires no run, and shows the error of its expression in the trigger. */
export async function noteIgnored(
  { db, worker }: Pick<AcceptOptions, 'db'> & { worker: Pick<AcceptOptions['worker'], 'counters'> },
  { id, kind, updatedAt }: { id: string; kind: Filtered; updatedAt: Date },
  { error }: Ignored,
): Promise<void> {
  worker.counters?.ignored(kind, error === undefined ? 'no_match' : 'error');
  if (error === undefined) return;
  const key = `${id} ${updatedAt.getTime()}`;
  if (noted.has(key)) return;
  noted.set(key, true);
  await db
    .update(triggers)
    .set({ filterError: { message: error.slice(0, MAX_ERROR_CHARACTERS), at: new Date().toISOString() } })
    .where(eq(triggers.id, id));
}
