/**
 * Tables in a schema of their own, so that a database may be shared with other services. JSON of others is kept as `json`: `jsonb`
 * refuses the escapes of NUL and of lone surrogates.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  json,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

export const triggersSchema = pgSchema('triggers');
const table = triggersSchema.table;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
/** Text of others, in which NUL may stand: PostgreSQL keeps none. */
const foreignText = customType<{ data: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.replaceAll('\0', '\ufffd'),
});
const createdAt = () => instant('created_at').notNull().defaultNow();

/** Who logs in: the master hash of the account, or the identity of a wallet without one, as 0x and 64 hex digits. */
export const users = table('users', {
  id: uuid('id').primaryKey().defaultRandom(),
  account: text('account').notNull().unique(),
  createdAt: createdAt(),
});

/** What a wallet is asked to sign; used once. */
export const loginNonces = table('login_nonces', {
  nonce: text('nonce').primaryKey(),
  /** The browser that asked, by the hash of its cookie. */
  browser: text('browser').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

/** Mode and admin of the account at the login that it comes from, as `auth/authority.ts` writes it. */
const authority = () => text('authority');

/** Browser sessions, by the SHA-256 of the cookie's value. */
export const sessions = table(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    authority: authority().notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('sessions_expires_at').on(t.expiresAt)],
);

/** Agents that ask to be paired, and those that are. */
export const pairings = table(
  'pairings',
  {
    /** SHA-256 of the single-use code in the authorization URL. */
    codeHash: text('code_hash').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    userCode: text('user_code').notNull(),
    label: text('label').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** Who approved it; absent before. */
    userId: uuid('user_id').references(() => users.id),
    authority: authority(),
    completedAt: instant('completed_at'),
    createdAt: createdAt(),
  },
  (t) => [index('pairings_expires_at').on(t.expiresAt)],
);

export const agentTokens = table(
  'agent_tokens',
  {
    /** SHA-256 of the token, base64url without padding. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    label: text('label').notNull(),
    authority: authority().notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('agent_tokens_user').on(t.userId)],
);

export type TriggerKind = 'webhook' | 'schedule' | 'chain_event';
export type RunStatus = 'queued' | 'running' | 'success' | 'failed';

export const triggers = table(
  'triggers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    kind: text('kind').$type<TriggerKind>().notNull(),
    /** One of the two. */
    actionCode: text('action_code'),
    actionCid: text('action_cid'),
    defaultParams: json('default_params').$type<Record<string, unknown>>().notNull(),
    /** Sealed. */
    usageApiKey: text('usage_api_key').notNull(),
    /** Rises when the action, its default parameters or the usage key change. */
    revision: integer('revision').notNull().default(1),
    maxRunsPerMinute: integer('max_runs_per_minute').notNull(),
    maxQueuedRuns: integer('max_queued_runs').notNull(),
    maxConcurrentRuns: integer('max_concurrent_runs').notNull(),
    /** Of its kind, as `sources/` checks it. Secrets in it are sealed. */
    config: json('config').$type<Record<string, unknown>>().notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** Of a schedule: the slot that fires next. */
    nextSlotAt: instant('next_slot_at'),
    createdAt: createdAt(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('triggers_user').on(t.userId, t.createdAt),
    index('triggers_due').on(t.nextSlotAt).where(sql`${t.enabled} and ${t.kind} = 'schedule'`),
    index('triggers_chain')
      .on(sql`(${t.config} ->> 'chain')`)
      .where(sql`${t.enabled} and ${t.kind} = 'chain_event'`),
  ],
);

/** A run is its own place in the queue: its row is what was accepted. */
export const runs = table(
  'runs',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    triggerId: uuid('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    status: text('status').$type<RunStatus>().notNull().default('queued'),
    /** What the action gets as its parameters, without the trigger's defaults. */
    input: json('input').$type<Record<string, unknown>>().notNull(),
    /** What fired it, once: a sender's delivery id, a slot, a log. */
    dedupeKey: text('dedupe_key'),
    scheduledFor: instant('scheduled_for'),
    dueAt: instant('due_at').notNull().defaultNow(),
    /** Rises with every claim: what an earlier one writes is refused. */
    claim: integer('claim').notNull().default(0),
    /** The trigger's at the first claim: what the core service was asked, or may have been. */
    revision: integer('revision'),
    leaseUntil: instant('lease_until'),
    /** Requests to the core service that were made. */
    attempt: integer('attempt').notNull().default(0),
    /** The same for all of them. */
    idempotencyKey: uuid('idempotency_key').notNull().defaultRandom(),
    response: json('response'),
    logs: foreignText('logs'),
    error: json('error').$type<{ name: string; message: string; stack?: string }>(),
    /** Credit that the core service took for it. */
    costMicros: bigint('cost_micros', { mode: 'number' }),
    replayOf: uuid('replay_of'),
    /** The log that fired it is not on the chain any more. */
    retractedAt: instant('retracted_at'),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('runs_dedupe').on(t.triggerId, t.dedupeKey),
    index('runs_trigger').on(t.triggerId, t.createdAt),
    index('runs_queued').on(t.userId, t.triggerId, t.dueAt).where(sql`${t.status} = 'queued'`),
    index('runs_running').on(t.triggerId).where(sql`${t.status} = 'running'`),
    index('runs_lease').on(t.leaseUntil).where(sql`${t.status} = 'running'`),
    index('runs_finished').on(t.finishedAt),
    index('runs_replay').on(t.replayOf).where(sql`${t.replayOf} is not null`),
  ],
);

/** Every request of a run to the core service, for its page. */
export const attempts = table(
  'attempts',
  {
    runId: uuid('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at').notNull(),
    /** 0 when there was no reply. */
    httpStatus: integer('http_status').notNull(),
    message: foreignText('message').notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.number] })],
);

/** How far each chain-event trigger has read its chain. */
export const chainCursors = table('chain_cursors', {
  triggerId: uuid('trigger_id')
    .primaryKey()
    .references(() => triggers.id, { onDelete: 'cascade' }),
  /** Chain, contract, event and filters: with other ones it starts anew. */
  follows: text('follows').notNull(),
  /** Every block before it, from the trigger's first one on, was read; it never falls. */
  nextBlock: bigint('next_block', { mode: 'bigint' }).notNull(),
  /** The highest head that was acted upon: what a node that is behind says is not. */
  headBlock: bigint('head_block', { mode: 'bigint' }).notNull(),
});

/** Logs that fired, for as long as the chain might drop their block. */
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
    runId: uuid('run_id').notNull(),
    /** Set while its block is not on the chain. */
    retractedAt: instant('retracted_at'),
    /** How often the chain has dropped it. */
    retractions: integer('retractions').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.triggerId, t.blockHash, t.transactionHash, t.logIndex] }),
    index('fired_logs_block').on(t.triggerId, t.blockNumber),
  ],
);
