import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { triggers } from '../../db/schema.ts';
import { sources } from '../../sources/index.ts';
import { defineRoute } from '../define-route.ts';
import {
  CODE_BODY_LIMIT_BYTES,
  noSuchTrigger,
  ownTrigger,
  refuseAccountKey,
  toRecord,
  triggerFields,
  triggerParams,
  triggerRecord,
} from './record.ts';

export const updateTrigger = defineRoute({
  method: 'PATCH',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Changes a trigger',
  description:
    'Fields that are left out stay. `enabled: false` pauses: nothing fires it, and its queued runs wait. A given action replaces the ' +
    'other kind of action; a given config replaces the whole config, and another kind needs one.',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  params: triggerParams,
  body: z
    .object(triggerFields)
    .partial()
    .refine(
      ({ action_code, action_cid }) => action_code == null || action_cid == null,
      'expected one of action_code and action_cid',
    ),
  reply: triggerRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async (
    context: Pick<Context, 'db' | 'core' | 'sealer' | 'config' | 'publicUrl' | 'worker'>,
    { params, body, caller },
  ) => {
    const { db, sealer } = context;
    const { id, ...trigger } = await ownTrigger(context, params.id, caller);
    const kind = body.kind ?? trigger.kind;
    const source = sources[kind];
    const isConfigured = body.config != null || kind !== trigger.kind;
    const config = isConfigured ? await source.accept(body.config, { id }, context) : trigger.config;
    if (body.usage_api_key !== undefined) await refuseAccountKey(context, body.usage_api_key);
    const isResumed = body.enabled === true && !trigger.enabled;

    const action = {
      ...(body.action_code != null && { actionCode: body.action_code, actionCid: null }),
      ...(body.action_cid != null && { actionCid: body.action_cid, actionCode: null }),
      ...(body.default_params != null && { defaultParams: body.default_params }),
      ...(body.usage_api_key !== undefined && { usageApiKey: sealer.seal(body.usage_api_key, id) }),
    };
    const [changed] = await db
      .update(triggers)
      .set({
        ...action,
        ...(Object.keys(action).length > 0 && { revision: sql`${triggers.revision} + 1` }),
        ...(isConfigured && { kind, config, nextSlotAt: null }),
        // What was missed while it was paused is not made up for.
        ...((isConfigured || isResumed) &&
          source.columns?.(config, new Date(), isResumed ? null : trigger.nextSlotAt)),
        name: body.name,
        enabled: body.enabled,
        maxRunsPerMinute: body.max_runs_per_minute,
        maxQueuedRuns: body.max_queued_runs,
        maxConcurrentRuns: body.max_concurrent_runs,
        updatedAt: sql`clock_timestamp()`,
      })
      .where(eq(triggers.id, id))
      .returning();
    if (!changed) throw noSuchTrigger();
    // Queued runs of a trigger that was paused, or may run more at once now.
    context.worker.wake();
    return toRecord(changed, context);
  },
});
