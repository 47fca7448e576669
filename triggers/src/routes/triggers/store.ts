/** Stores new and changed triggers. */
import { conflict, tooManyRequests } from '@latchkey/http';
import { and, count, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import type { Changes } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { revisions, triggers, users } from '../../db/schema.ts';
import { laterVersion } from '../../db/version.ts';
import { toStored } from '../../runs/concurrency-key.ts';
import { storeRevision } from '../../runs/revisions.ts';
import type { ChainEventConfig } from '../../sources/chain-config.ts';
import { sources } from '../../sources/index.ts';
import type { Source, StoredConfig, Trigger } from '../../sources/source.ts';
import { type newTrigger, ownTrigger, type triggerChange } from './record.ts';

/** Earlier revisions of a trigger. Each is a copy of its code, made by a request of any size. */
const MAX_REVISIONS = 100;
/** Revisions that no run uses are deleted an hour after they were stored. */
const RETRY_SEC = 3_600;

type Body = z.output<typeof triggerChange>;

/** The columns of the fields with the same value in a new and in a changed trigger. */
const toColumns = (body: Omit<Body, 'kind' | 'config'>) => ({
  enabled: body.enabled,
  pauseAfterFailures: body.pause_after_failures,
  throttlePerMinute: body.throttle_per_minute,
  concurrencyKey: body.concurrency_key && toStored(body.concurrency_key),
  debounceSeconds: body.debounce_seconds,
  holdWhenPaused: body.hold_when_paused,
});

type Place = Awaited<ReturnType<NonNullable<Source['place']>>>;

/** Stores a trigger, unless it is stored already. Rejects with 409 when the account has its maximum. */
export async function insertTrigger(
  { db, sealer, config: { maxTriggersPerAccount, runs } }: Pick<Context, 'db' | 'sealer' | 'config'>,
  made: { id: string; userId: string; body: z.output<typeof newTrigger>; config: StoredConfig; place: Place },
): Promise<Trigger> {
  const { id, userId, body, config, place } = made;
  return db.transaction(async (tx) => {
    // Locks the user, so that the count is exact under concurrent requests.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
    const [earlier] = await tx.select().from(triggers).where(eq(triggers.id, id));
    if (earlier) return earlier;
    const [{ total } = { total: 0 }] = await tx
      .select({ total: count() })
      .from(triggers)
      .where(eq(triggers.userId, userId));
    if (total >= maxTriggersPerAccount)
      throw conflict(`The account has ${total} triggers, which is the maximum.`, {
        fix: 'Delete a trigger: DELETE /api/triggers/:id.',
      });
    const [trigger] = await tx
      .insert(triggers)
      .values({
        id,
        userId,
        name: body.name,
        kind: body.kind,
        config,
        actionCode: body.action_code ?? null,
        actionCid: body.action_cid ?? null,
        defaultParams: body.default_params ?? {},
        usageApiKey: sealer.seal(body.usage_api_key, id),
        maxRunsPerMinute: body.max_runs_per_minute ?? runs.perMinute,
        maxQueuedRuns: body.max_queued_runs ?? runs.maxQueued,
        maxConcurrentRuns: body.max_concurrent_runs ?? runs.maxConcurrentPerAccount,
        ...toColumns(body),
        ...sources[body.kind].columns?.(config, new Date()),
      })
      .returning();
    await place?.(tx);
    return trigger as Trigger;
  });
}

/** Changes a trigger of the caller. Rejects with 404, and with the errors of its source. */
export async function changeTrigger(context: ChangeContext, id: string, caller: User, body: Body) {
  for (;;) {
    const trigger = await ownTrigger(context, id, caller);
    const plan = await planChange(context, trigger, body);
    const { kind, config, isReconfigured, isPlaced, isResumed, place, action } = plan;
    const isRevised = Object.keys(action).length > 0;
    const due = isResumed ? null : trigger.nextSlotAt;
    const done = await context.db.transaction(async (tx) => {
      if (!(await lockVersion(tx, trigger))) return undefined;
      if (isRevised) {
        await requireFewRevisions(tx, trigger.id);
        await storeRevision(tx, trigger.id);
      }
      const [changed] = await tx
        .update(triggers)
        .set({
          ...action,
          ...(isRevised && { revision: sql`${triggers.revision} + 1` }),
          ...(isReconfigured && { kind, config, nextSlotAt: null, filterError: null }),
          // Slots that passed while the trigger was paused do not fire.
          ...(isPlaced && sources[kind].columns?.(config, new Date(), due)),
          ...(body.enabled !== undefined && { pausedReason: null }),
          ...((body.enabled === true || body.usage_api_key !== undefined) && { heldUntil: null }),
          ...(body.enabled === true && { consecutiveFailures: 0, alertedAt: null }),
          // The change can have made room.
          retryAt: null,
          name: body.name,
          maxRunsPerMinute: body.max_runs_per_minute,
          maxQueuedRuns: body.max_queued_runs,
          maxConcurrentRuns: body.max_concurrent_runs,
          ...toColumns(body),
          updatedAt: laterVersion,
        })
        .where(eq(triggers.id, trigger.id))
        .returning();
      return changed && { changed, isReconfigured, placed: await place?.(tx) };
    });
    if (done) return done;
  }
}

type ChangeContext = Pick<Context, 'db' | 'sealer' | 'config'>;

/** Decides what a request changes. */
async function planChange({ sealer, config: { secrets } }: ChangeContext, trigger: Trigger, body: Body) {
  const { id } = trigger;
  const options = { sealer, rpcUrls: secrets.rpcUrls };
  const kind = body.kind ?? trigger.kind;
  const source = sources[kind];
  const before = kind === trigger.kind ? trigger.config : undefined;
  const isReconfigured = body.config != null || !before;
  const config = isReconfigured ? await source.accept(body.config, { id, before }, options) : trigger.config;
  const isResumed = body.enabled === true && !trigger.enabled;
  const isPlaced = isReconfigured || isResumed;
  const place = isPlaced
    ? await source.place?.({ id, config }, { wire: body.config, before, isResumed }, options)
    : undefined;
  const action = {
    ...(body.action_code != null && { actionCode: body.action_code, actionCid: null }),
    ...(body.action_cid != null && { actionCid: body.action_cid, actionCode: null }),
    ...(body.default_params != null && { defaultParams: body.default_params }),
    ...(body.usage_api_key !== undefined && { usageApiKey: sealer.seal(body.usage_api_key, id) }),
  };
  return { kind, config, isReconfigured, isPlaced, isResumed, place, action };
}

/** Rejects with 429 when the locked trigger has its maximum of earlier revisions. */
async function requireFewRevisions(tx: Database, id: string): Promise<void> {
  if ((await tx.$count(revisions, eq(revisions.triggerId, id))) >= MAX_REVISIONS)
    throw tooManyRequests(
      `The trigger has ${MAX_REVISIONS} earlier revisions of its action, parameters and key, which is the maximum.`,
      RETRY_SEC,
    );
}

/** Locks the trigger. Resolves to false when it was changed or deleted since it was read. */
async function lockVersion(tx: Database, { id, updatedAt }: Trigger): Promise<boolean> {
  const version = sql`date_trunc('milliseconds', ${triggers.updatedAt})`;
  const locked = await tx
    .select({ id: triggers.id })
    .from(triggers)
    .where(and(eq(triggers.id, id), eq(version, sql.param(updatedAt, triggers.updatedAt))))
    .for('no key update');
  return locked.length > 0;
}

/** Returns the parts of a changed trigger that are checked after the change. */
export function toChanges(
  { id, actionCode: code, actionCid: cid, usageApiKey, kind, config }: Trigger,
  body: Body,
  {
    isKnown,
    isReconfigured,
    sealer,
  }: { isKnown: boolean; isReconfigured: boolean } & Pick<Context, 'sealer'>,
): Changes {
  const isActionNew = (body.action_code ?? body.action_cid ?? body.usage_api_key) != null;
  return {
    action: isActionNew ? { code, cid, key: sealer.openText(usageApiKey, id), isKnown } : undefined,
    contract: isReconfigured && kind === 'chain_event' ? (config as ChainEventConfig) : undefined,
  };
}
