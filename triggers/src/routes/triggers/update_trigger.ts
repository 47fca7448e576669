import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { type Changes, checkDeadline, checkTrigger } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { triggers } from '../../db/schema.ts';
import { laterVersion } from '../../db/version.ts';
import { storeRevision } from '../../runs/revisions.ts';
import type { ChainEventConfig } from '../../sources/chain-config.ts';
import { sources } from '../../sources/index.ts';
import type { Trigger } from '../../sources/source.ts';
import { defineRoute } from '../define-route.ts';
import {
  CODE_BODY_LIMIT_BYTES,
  changedTrigger,
  ownTrigger,
  refuseAccountKey,
  toRecord,
  triggerChange,
  triggerParams,
} from './record.ts';

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
function toChanges(
  { id, actionCode: code, actionCid: cid, usageApiKey, kind, config }: Trigger,
  body: z.output<typeof triggerChange>,
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

export const updateTrigger = defineRoute({
  method: 'PATCH',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Updates a trigger',
  description:
    'Changes only the given fields. `enabled: false` pauses the trigger: no event fires it, and its queued runs wait. ' +
    '`action_code` replaces `action_cid` and vice versa. `config` replaces the whole config; a new `kind` discards the old one.',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  params: triggerParams,
  body: triggerChange.refine(
    ({ action_code, action_cid }) => action_code == null || action_cid == null,
    'expected at most one of action_code and action_cid',
  ),
  reply: changedTrigger,
  errors: ['not_found', 'service_unavailable'],
  handle: async (
    context: Pick<Context, 'db' | 'relayer' | 'sealer' | 'config' | 'publicUrl' | 'worker'>,
    { params, body, caller, log },
  ) => {
    const { db, sealer } = context;
    const { rpcUrls } = context.config.secrets;
    const options = { sealer, rpcUrls };
    const checks = { relayer: context.relayer, rpcUrls, log, deadline: checkDeadline() };
    const syntaxWarnings = await checkTrigger({ code: body.action_code ?? undefined }, checks);
    const { isKnown } =
      body.usage_api_key === undefined
        ? { isKnown: true }
        : await refuseAccountKey(context, body.usage_api_key);
    /** Resolves to undefined when another request changed the trigger concurrently. */
    const update = async () => {
      const trigger = await ownTrigger(context, params.id, caller);
      const { id } = trigger;
      const kind = body.kind ?? trigger.kind;
      const source = sources[kind];
      const before = kind === trigger.kind ? trigger.config : undefined;
      const isReconfigured = body.config != null || !before;
      const config = isReconfigured
        ? await source.accept(body.config, { id, before }, options)
        : trigger.config;
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
      const isRevised = Object.keys(action).length > 0;
      return db.transaction(async (tx) => {
        if (!(await lockVersion(tx, trigger))) return undefined;
        if (isRevised) await storeRevision(tx, id);
        const [changed] = await tx
          .update(triggers)
          .set({
            ...action,
            ...(isRevised && { revision: sql`${triggers.revision} + 1` }),
            ...(isReconfigured && { kind, config, nextSlotAt: null }),
            // Slots that passed while the trigger was paused do not fire.
            ...(isPlaced && source.columns?.(config, new Date(), isResumed ? null : trigger.nextSlotAt)),
            name: body.name,
            enabled: body.enabled,
            ...(body.enabled !== undefined && { pausedReason: null }),
            ...((body.enabled === true || body.usage_api_key !== undefined) && { heldUntil: null }),
            ...(body.enabled === true && { consecutiveFailures: 0, alertedAt: null }),
            pauseAfterFailures: body.pause_after_failures,
            maxRunsPerMinute: body.max_runs_per_minute,
            maxQueuedRuns: body.max_queued_runs,
            maxConcurrentRuns: body.max_concurrent_runs,
            throttlePerMinute: body.throttle_per_minute,
            concurrencyKey: body.concurrency_key,
            debounceSeconds: body.debounce_seconds,
            holdWhenPaused: body.hold_when_paused,
            updatedAt: laterVersion,
          })
          .where(eq(triggers.id, id))
          .returning();
        return changed && { changed, isReconfigured, placed: await place?.(tx) };
      });
    };
    let done = await update();
    while (!done) done = await update();
    const { changed, isReconfigured, placed } = done;
    // The trigger may have been enabled, or its limit of concurrent runs raised.
    context.worker.wake();
    const warnings = await checkTrigger(
      toChanges(changed, body, { isKnown, isReconfigured, sealer }),
      checks,
    );
    return {
      ...toRecord(changed, context),
      ...placed,
      warnings: [...syntaxWarnings, ...warnings],
    };
  },
});
