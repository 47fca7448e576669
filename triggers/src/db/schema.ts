/**
 * Tables of the trigger service, in the schema `triggers`, so that services can share a database. JSON from senders and actions
 * has the type `json`, because `jsonb` rejects escaped NUL characters and lone surrogates.
 */
import { idempotencyTable } from '@latchkey/service/idempotency-table';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { users } from './account-schema.ts';
import type { BlockRange, Side } from './chain-schema.ts';
import { createdAt, foreignText, instant, table } from './columns.schema.ts';

export * from './account-schema.ts';
export * from './alert-schema.ts';
export * from './chain-schema.ts';
export * from './columns.schema.ts';
export * from './input-schema.ts';

export type TriggerKind = 'webhook' | 'schedule' | 'chain_event' | 'chain_block';
export type RunStatus = 'queued' | 'running' | 'success' | 'failed' | 'skipped';

export const triggers = table(
  'triggers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    kind: text('kind').$type<TriggerKind>().notNull(),
    /** Exactly one of `action_code` and `action_cid` is set. */
    actionCode: text('action_code'),
    actionCid: text('action_cid'),
    defaultParams: json('default_params').$type<Record<string, unknown>>().notNull(),
    /** Sealed, with the trigger's id as context. */
    usageApiKey: text('usage_api_key').notNull(),
    /** Increases when the action, its default parameters or the usage key change. */
    revision: integer('revision').notNull().default(1),
    maxRunsPerMinute: integer('max_runs_per_minute').notNull(),
    maxQueuedRuns: integer('max_queued_runs').notNull(),
    maxConcurrentRuns: integer('max_concurrent_runs').notNull(),
    /** Maximum number of runs that start in any 60 seconds. Further ones wait. */
    throttlePerMinute: integer('throttle_per_minute'),
    /** As `toStored` returns it. */
    concurrencyKey: text('concurrency_key'),
    /** Time for which a run waits for a newer event, which replaces it. */
    debounceSeconds: integer('debounce_seconds'),
    /** Webhooks are accepted while the trigger is paused, and run when it is enabled. */
    holdWhenPaused: boolean('hold_when_paused').notNull().default(false),
    /** Validated by the module of its kind in `sources/`. Secrets in it are sealed. */
    config: json('config').$type<Record<string, unknown>>().notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** Set while the service itself keeps the trigger disabled, until its owner enables it. */
    pausedReason: text('paused_reason'),
    /** Time until which the runs wait, because the relayer replied 402 or did not run them for a day. Null after a run was executed. */
    heldUntil: instant('held_until'),
    heldReason: text('held_reason').$type<'payment_required' | 'service_unavailable'>(),
    /** Last error of `config.if`. Null after the config was changed. */
    filterError: json('filter_error').$type<{ message: string; at: string }>(),
    /** Failed runs in a row after which the trigger is paused. Null for never. */
    pauseAfterFailures: integer('pause_after_failures'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    /** When the alert of these failed runs was queued. */
    alertedAt: instant('alerted_at'),
    /** Next slot of a schedule, null for other kinds, and the earliest retry of one that a limit has refused. */
    nextSlotAt: instant('next_slot_at'),
    retryAt: instant('retry_at'),
    createdAt: createdAt(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('triggers_user').on(t.userId, t.createdAt),
    index('triggers_due').on(t.nextSlotAt).where(sql`${t.enabled} and ${t.kind} = 'schedule'`),
  ],
);

/**
 * Earlier revisions of triggers. A run that may have been executed is requested again exactly as before, also after its
 * trigger was changed. Deleted when no unfinished run uses them.
 */
export const revisions = table(
  'revisions',
  {
    triggerId: uuid('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    actionCode: text('action_code'),
    actionCid: text('action_cid'),
    defaultParams: json('default_params').$type<Record<string, unknown>>().notNull(),
    /** Sealed, with the trigger's id as context. */
    usageApiKey: text('usage_api_key').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.triggerId, t.number] })],
);

/** Runs. The rows are also the queue: a row is inserted when a run is accepted. */
export const runs = table(
  'runs',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    triggerId: uuid('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    /** Position among the runs of the trigger, from 1 in the order of `createdAt`, with gaps for deleted runs. */
    number: bigint('number', { mode: 'number' }).notNull(),
    status: text('status').$type<RunStatus>().notNull().default('queued'),
    /** Parameters of the action, without the trigger's default parameters. */
    input: json('input').$type<Record<string, unknown>>().notNull(),
    /** Identifies what fired the run: a delivery id, a slot or a log. Unique per trigger. */
    dedupeKey: text('dedupe_key'),
    /** As `toConcurrencyKey` returns it. */
    concurrencyKey: text('concurrency_key'),
    scheduledFor: instant('scheduled_for'),
    dueAt: instant('due_at').notNull().defaultNow(),
    /** Increases with every claim. Writes with an older claim are rejected. */
    claim: integer('claim').notNull().default(0),
    /** Revision of the trigger at the first claim that may have executed the run. All later requests use it. */
    revision: integer('revision'),
    /** Time of the first request whose outcome is unknown: the relayer may have executed the run. */
    askedAt: instant('asked_at'),
    leaseUntil: instant('lease_until'),
    /** Number of requests that count as attempts: an outage, a limit and missing credit cost none. */
    attempt: integer('attempt').notNull().default(0),
    /** The same for all requests of the run. */
    idempotencyKey: uuid('idempotency_key').notNull().defaultRandom(),
    /** The approval that the run waits for, or goes on with: the id of the relayer. */
    approvalId: uuid('approval_id'),
    /** Set when its owner stops it: it is not requested again. */
    stopRequestedAt: instant('stop_requested_at'),
    response: json('response'),
    logs: foreignText('logs'),
    error: json('error').$type<{ name: string; message: string; stack?: string }>(),
    /** Id of the relayer's record of the run: of the last request that executed it. */
    relayerRunId: uuid('relayer_run_id'),
    cid: text('cid'),
    /** Wall time of the run in milliseconds. */
    durationMs: integer('duration_ms'),
    /** Credit that the relayer charged, in micro-credits. */
    costMicros: bigint('cost_micros', { mode: 'number' }),
    replayOf: uuid('replay_of'),
    /** Set while the log that fired the run is not on the chain. */
    retractedAt: instant('retracted_at'),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('runs_dedupe').on(t.triggerId, t.dedupeKey).where(sql`${t.dedupeKey} is not null`),
    index('runs_queued').on(t.userId, t.triggerId, t.dueAt).where(sql`${t.status} = 'queued'`),
    index('runs_concurrency')
      .on(t.triggerId, t.concurrencyKey, t.createdAt)
      .where(sql`${t.status} in ('queued', 'running') and ${t.concurrencyKey} is not null`),
    index('runs_queue').on(t.userId, t.triggerId, t.number).where(sql`${t.status} = 'queued'`),
    index('runs_started').on(t.triggerId, t.startedAt).where(sql`${t.startedAt} is not null`),
    index('runs_running').on(t.triggerId).where(sql`${t.status} = 'running'`),
    index('runs_running_user').on(t.userId, t.triggerId).where(sql`${t.status} = 'running'`),
    index('runs_lease').on(t.leaseUntil).where(sql`${t.status} = 'running'`),
    index('runs_finished').on(t.finishedAt).where(sql`${t.finishedAt} is not null`),
    index('runs_replay').on(t.replayOf).where(sql`${t.replayOf} is not null`),
  ],
);

/**
 * The ready list: users and triggers in the order in which claims choose them. A claim locks the row of a user before it reads the
 * user's runs. Every write of the three tables below is by `settle_queue` or `claim_ready`, only adds rows, or is of a deleted trigger: a
 * deletion locks the row of the user first.
 */
export const queueUsers = table(
  'queue_users',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    running: integer('running').notNull().default(0),
    /** True when one of the triggers is ready. */
    isReady: boolean('is_ready').notNull().default(false),
    servedAt: instant('served_at').notNull().defaultNow(),
  },
  (t) => [index('queue_users_ready').on(t.running, t.servedAt).where(sql`${t.isReady}`)],
);

export const queueTriggers = table(
  'queue_triggers',
  {
    triggerId: uuid('trigger_id')
      .primaryKey()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    running: integer('running').notNull().default(0),
    /** True when the trigger has a due run and its limits have room. */
    isReady: boolean('is_ready').notNull().default(false),
    /** Time at which the trigger can become ready without a change: of a due run, of the end of a hold or of a throttle. */
    wakeAt: instant('wake_at'),
    servedAt: instant('served_at').notNull().defaultNow(),
  },
  (t) => [
    index('queue_triggers_ready').on(t.userId, t.running, t.servedAt).where(sql`${t.isReady}`),
    index('queue_triggers_wake').on(t.wakeAt).where(sql`${t.wakeAt} is not null`),
  ],
);

/** Changes of runs and triggers that the ready list does not contain yet, added by the function `note_change` in their transactions. */
export const queueChanges = table('queue_changes', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  userId: uuid('user_id').notNull(),
  triggerId: uuid('trigger_id').notNull(),
});

/** Attempts of a run: its requests to the relayer that count. */
export const attempts = table(
  'attempts',
  {
    runId: uuid('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at').notNull(),
    /** 0 when the relayer did not reply. */
    httpStatus: integer('http_status').notNull(),
    message: foreignText('message').notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.number] })],
);

/** Read position of each chain-event and chain-block trigger. The database makes the row. */
export const chainCursors = table('chain_cursors', {
  triggerId: uuid('trigger_id')
    .primaryKey()
    .references(() => triggers.id, { onDelete: 'cascade' }),
  /** First block that is not read yet, apart from `unread`. */
  nextBlock: bigint('next_block', { mode: 'bigint' }).notNull(),
  /** Logs from `next_block` to below this block do not fire when they are read for the first time. */
  silentBelow: bigint('silent_below', { mode: 'bigint' }).notNull().default(sql`0`),
  /** Ranges of older blocks that are not read yet. They are read in the background, one after the other. */
  unread: json('unread').$type<BlockRange[]>().notNull().default([]),
  /** Highest head that was processed. Answers of a node that is behind it are ignored. */
  headBlock: bigint('head_block', { mode: 'bigint' }).notNull().default(sql`0`),
  /** The trigger has read as far as its chain: `next_block` and `head_block` are at least those of the position of the chain. */
  isLive: boolean('is_live').notNull().default(false),
  /** Sides of the balance of a chain-block trigger, oldest first: the newest final one, and those that a reorg can replace. */
  sides: json('sides').$type<readonly Side[]>().notNull().default([]),
});

/** Logs that fired or were silent, kept while a reorg can still drop their block. */
export const firedLogs = table(
  'fired_logs',
  {
    triggerId: uuid('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    blockNumber: bigint('block_number', { mode: 'bigint' }).notNull(),
    blockHash: text('block_hash').notNull(),
    transactionHash: text('transaction_hash').notNull(),
    logIndex: integer('log_index').notNull(),
    /** Null when the log was silent: it was read for the first time below `silent_below`. */
    runId: uuid('run_id'),
    /** Set while the block is not on the chain. */
    retractedAt: instant('retracted_at'),
    /** How often a reorg has dropped the block. */
    retractions: integer('retractions').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.triggerId, t.blockHash, t.transactionHash, t.logIndex] }),
    index('fired_logs_block').on(t.triggerId, t.blockNumber),
    index('fired_logs_number').on(t.blockNumber).where(sql`${t.runId} is not null`),
  ],
);

/** Contracts that the factory of a trigger has announced. Their events count from the block of the announcement on. */
export const factoryChildren = table(
  'factory_children',
  {
    triggerId: uuid('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    /** In lower case. */
    address: text('address').notNull(),
    blockNumber: bigint('block_number', { mode: 'bigint' }).notNull(),
    blockHash: text('block_hash').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.triggerId, t.address] }),
    index('factory_children_number').on(t.blockNumber),
  ],
);

export const idempotency = idempotencyTable(table);
