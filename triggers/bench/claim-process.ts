/** Forked process: claims and ends runs of a database for some seconds, as a trigger process does with a relayer that replies immediately. */
import { performance } from 'node:perf_hooks';
import { answer } from '@latchkey/testing/forked';
import { type Database, openDatabase } from '../src/db/database.ts';
import { type ClaimedRun, type ClaimLimits, claim } from '../src/runs/claim.ts';
import { finish } from '../src/runs/queue.ts';

export type Drain = ClaimLimits & { url: string; seconds: number };
export type Drained = { runs: number; claimsMs: number[]; seconds: number };

const POOL_SIZE = 10;

const success = { status: 'success', response: null, logs: '', costMicros: 0 } as const;
const endAll = (db: Database, runs: ClaimedRun[]) => Promise.all(runs.map((run) => finish(db, run, success)));

answer(async ({ url, seconds, limit, perUser }: Drain): Promise<Drained> => {
  const { db, close } = await openDatabase({ url, poolSize: POOL_SIZE });
  const claimsMs: number[] = [];
  let runs = 0;
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  while (elapsed() < seconds) {
    const before = performance.now();
    const claimed = await claim(db, { limit, perUser });
    claimsMs.push(performance.now() - before);
    await endAll(db, claimed);
    runs += claimed.length;
  }
  const took = elapsed();
  await close();
  return { runs, claimsMs, seconds: took };
});
