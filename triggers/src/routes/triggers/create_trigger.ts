import { conflict } from '@latchkey/http';
import { count, eq } from 'drizzle-orm';
import { checkDeadline, checkTrigger } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import { triggers, users } from '../../db/schema.ts';
import type { ChainEventConfig } from '../../sources/chain-config.ts';
import { sources } from '../../sources/index.ts';
import type { Trigger } from '../../sources/source.ts';
import { defineRoute } from '../define-route.ts';
import { effectId } from '../effect-id.ts';
import { CODE_BODY_LIMIT_BYTES, changedTrigger, newTrigger, refuseAccountKey, toRecord } from './record.ts';

export const createTrigger = defineRoute({
  method: 'POST',
  path: '/api/triggers',
  tag: 'triggers',
  summary: 'Creates a trigger',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  body: newTrigger.refine(
    ({ action_code, action_cid }) => (action_code == null) !== (action_cid == null),
    'expected exactly one of action_code and action_cid',
  ),
  reply: changedTrigger,
  errors: ['conflict', 'service_unavailable'],
  example: {
    body: {
      name: 'every morning',
      kind: 'schedule',
      action_code: 'const main = ({ scheduled_at }) => scheduled_at',
      usage_api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      config: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
    },
    reply: {
      id: '6f1c2a4e-9b1d-4c57-8a39-2f0e5d7c6b11',
      name: 'every morning',
      kind: 'schedule',
      action_code: 'const main = ({ scheduled_at }) => scheduled_at',
      action_cid: null,
      default_params: {},
      max_runs_per_minute: 60,
      max_queued_runs: 100,
      max_concurrent_runs: 4,
      throttle_per_minute: null,
      concurrency_key: null,
      debounce_seconds: null,
      hold_when_paused: false,
      pause_after_failures: null,
      config: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
      enabled: true,
      consecutive_failures: 0,
      paused_reason: null,
      held: null,
      next_runs: ['2026-11-02T08:00:00.000Z'],
      created_at: '2026-11-01T09:00:00.000Z',
      updated_at: '2026-11-01T09:00:00.000Z',
      warnings: [],
    },
  },
  handle: async (
    context: Pick<Context, 'db' | 'relayer' | 'sealer' | 'config' | 'publicUrl'>,
    { body, caller, idempotencyId, log },
  ) => {
    const { db, sealer, config } = context;
    const source = sources[body.kind];
    const id = effectId(idempotencyId, body);
    const { rpcUrls } = config.secrets;
    const options = { sealer, rpcUrls };
    const accepted = await source.accept(body.config, { id }, options);
    const change = { wire: body.config, before: undefined, isResumed: false };
    const place = await source.place?.({ id, config: accepted }, change, options);
    const { isKnown } = await refuseAccountKey(context, body.usage_api_key);
    const { action_code: code = null, action_cid: cid = null, usage_api_key: key } = body;
    const warnings = await checkTrigger(
      {
        code: code ?? undefined,
        action: { code, cid, key, isKnown },
        contract: body.kind === 'chain_event' ? (accepted as ChainEventConfig) : undefined,
      },
      { relayer: context.relayer, rpcUrls, log, deadline: checkDeadline() },
    );
    const made = await db.transaction(async (tx) => {
      // Locks the user, so that the count is exact under concurrent requests.
      await tx.select({ id: users.id }).from(users).where(eq(users.id, caller.id)).for('no key update');
      const [earlier] = await tx.select().from(triggers).where(eq(triggers.id, id));
      if (earlier) return earlier;
      const [{ total } = { total: 0 }] = await tx
        .select({ total: count() })
        .from(triggers)
        .where(eq(triggers.userId, caller.id));
      if (total >= config.maxTriggersPerAccount)
        throw conflict(`The account has ${total} triggers, which is the maximum.`, {
          fix: 'Delete a trigger: DELETE /api/triggers/:id.',
        });
      const [trigger] = await tx
        .insert(triggers)
        .values({
          id,
          userId: caller.id,
          name: body.name,
          kind: body.kind,
          actionCode: body.action_code ?? null,
          actionCid: body.action_cid ?? null,
          defaultParams: body.default_params ?? {},
          usageApiKey: sealer.seal(body.usage_api_key, id),
          maxRunsPerMinute: body.max_runs_per_minute ?? config.runs.perMinute,
          maxQueuedRuns: body.max_queued_runs ?? config.runs.maxQueued,
          maxConcurrentRuns: body.max_concurrent_runs ?? config.runs.maxConcurrentPerAccount,
          throttlePerMinute: body.throttle_per_minute ?? null,
          concurrencyKey: body.concurrency_key ?? null,
          debounceSeconds: body.debounce_seconds ?? null,
          holdWhenPaused: body.hold_when_paused ?? false,
          pauseAfterFailures: body.pause_after_failures,
          config: accepted,
          enabled: body.enabled ?? true,
          ...source.columns?.(accepted, new Date()),
        })
        .returning();
      await place?.(tx);
      return trigger;
    });
    return { ...toRecord(made as Trigger, context), warnings };
  },
});
