/** Counters and gauges of runs and triggers. No label holds text of users. */
import { errorStatus } from '@latchkey/http';
import { addTableMetrics } from '@latchkey/http/table-metrics';
import { and, eq, gt, isNotNull, not, type SQL, sql } from 'drizzle-orm';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from './db/database.ts';
import { runs, type TriggerKind, triggers } from './db/schema.ts';
import type { ClaimedRun } from './runs/claim.ts';
import type { Outcome } from './runs/queue.ts';
import type { FollowerState } from './sources/chain-progress.ts';

/** Names of errors that the relayer and this service set. Another name is counted as `other`. */
const REASONS = new Set([...Object.keys(errorStatus), 'unknown', 'SealError']);

/** Counts the runs of this process. */
export type RunCounters = {
  accepted: (kind: TriggerKind, count: number) => void;
  claimed: (run: Pick<ClaimedRun, 'claim' | 'lagSec'>) => void;
  ended: (outcome: Outcome) => void;
  /** An event that the `if` of its trigger does not match. */
  ignored: (kind: TriggerKind, reason: 'no_match' | 'error') => void;
};

export function createRunCounters(registry: Registry): RunCounters {
  const registers = [registry];
  const accepted = new Counter({
    name: 'runs_accepted_total',
    help: 'Stored runs, by the kind of their trigger, with tests and replays.',
    labelNames: ['kind'] as const,
    registers,
  });
  const ignored = new Counter({
    name: 'events_ignored_total',
    help: 'Events that fired no run: the `if` of their trigger did not match, or could not be evaluated.',
    labelNames: ['kind', 'reason'] as const,
    registers,
  });
  const started = new Counter({
    name: 'runs_started_total',
    help: 'Runs that were claimed for the first time.',
    registers,
  });
  const succeeded = new Counter({ name: 'runs_succeeded_total', help: 'Runs that succeeded.', registers });
  const failed = new Counter({
    name: 'runs_failed_total',
    help: 'Runs that failed, by reason: `action` when the action threw.',
    labelNames: ['reason'] as const,
    registers,
  });
  const lag = new Histogram({
    name: 'run_lag_seconds',
    help: 'Seconds between the time at which a run is due and its claim, with the time for which its trigger was paused or held.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400],
    registers,
  });
  return {
    accepted: (kind, count) => accepted.inc({ kind }, count),
    ignored: (kind, reason) => ignored.inc({ kind, reason }),
    claimed({ claim, lagSec }) {
      if (claim === 1) started.inc();
      lag.observe(Math.max(lagSec, 0));
    },
    ended(outcome) {
      if (outcome.status === 'success') succeeded.inc();
      if (outcome.status === 'failed') failed.inc({ reason: reasonFor(outcome) });
    },
  };
}

/** Only an executed action has a cost, and only it chooses the name of its error. */
function reasonFor({ error: { name }, costMicros }: Outcome & { status: 'failed' }): string {
  if (costMicros !== null) return 'action';
  return REASONS.has(name) ? name : 'other';
}

/** Adds the gauges, which are read when they are scraped. */
export function addGauges(
  registry: Registry,
  {
    db,
    running,
    followers,
  }: { db: Database; running: () => number; followers: () => ReadonlyMap<string, FollowerState> },
): void {
  const add = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  const count = (table: typeof runs | typeof triggers, where: SQL | undefined) => () =>
    db.$count(table, where);
  const isWaiting = gt(sql`coalesce(${triggers.heldUntil}, '-infinity')`, sql`now()`);
  const isHeld = and(eq(triggers.enabled, true), isWaiting);
  const isPaused = and(eq(triggers.enabled, false), isNotNull(triggers.pausedReason));
  add('runs_in_flight', 'Runs in flight in this process.', running);
  add(
    'runs_waiting',
    'Queued runs of all processes, including runs of paused triggers.',
    count(runs, eq(runs.status, 'queued')),
  );
  add(
    'runs_oldest_waiting_seconds',
    'Seconds since the oldest queued run was due, of triggers that are enabled and not held.',
    async () => {
      const [oldest] = await db
        .select({ sec: sql<string | null>`extract(epoch from now() - min(${runs.dueAt}))` })
        .from(runs)
        .innerJoin(triggers, eq(triggers.id, runs.triggerId))
        .where(and(eq(runs.status, 'queued'), eq(triggers.enabled, true), not(isWaiting)));
      return Math.max(Number(oldest?.sec ?? 0), 0);
    },
  );
  add(
    'triggers_held',
    'Triggers whose runs wait for credit, or for a day for the service.',
    count(triggers, isHeld),
  );
  add('triggers_paused', 'Triggers that the service has paused.', count(triggers, isPaused));
  addFollowerGauges(registry, followers);
  addTableMetrics(registry, db, 'triggers');
}

function addFollowerGauges(registry: Registry, followers: () => ReadonlyMap<string, FollowerState>): void {
  const add = (name: string, help: string, read: (state: FollowerState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['chain'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [chain, state] of followers()) this.set({ chain }, read(state));
      },
    });
  add(
    'chain_follower_lag_seconds',
    'Seconds since the nodes of a chain with triggers last told their newest block.',
    ({ lagSec }) => lagSec,
  );
  add('chain_follower_block', 'Newest block of a chain with triggers.', ({ block }) => block ?? 0);
  add(
    'chain_follower_node',
    'Position of the RPC node in use among the URLs of the chain.',
    ({ node }) => node,
  );
}
