import { z } from 'zod';
import type { Context } from '../../context.ts';
import { acceptRun } from '../../runs/accept.ts';
import { findIgnored } from '../../sources/filter.ts';
import { defineRoute } from '../define-route.ts';
import { effectId } from '../effect-id.ts';
import { CODE_BODY_LIMIT_BYTES, ownTrigger, triggerParams } from './record.ts';

export const testTrigger = defineRoute({
  method: 'POST',
  path: '/api/triggers/:id/test',
  tag: 'triggers',
  summary: 'Runs a trigger immediately',
  description:
    'The action receives `input` with `source` (the kind of the trigger) and `test: true`. The run counts against the limits and is charged. ' +
    'It runs whether or not the `if` of the trigger matches the input, which `matches` tells. With `dry_run` nothing runs.',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  params: triggerParams,
  body: z.object({
    input: z.record(z.string(), z.unknown()).default({}),
    dry_run: z.boolean().default(false),
  }),
  reply: z.object({
    run_id: z.uuid().optional().meta({ description: 'Absent after a dry run.' }),
    status: z.enum(['queued', 'dry_run']),
    matches: z.boolean().meta({ description: 'Whether such an event fires a run: true without an `if`.' }),
    filter_error: z.string().optional().meta({ description: 'Why `if` cannot be evaluated.' }),
  }),
  status: 202,
  errors: ['not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { input: { source: 'test' } },
    reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued', matches: true },
  },
  handle: async (context: Pick<Context, 'db' | 'worker'>, { params, body, caller, idempotencyId }) => {
    const trigger = await ownTrigger(context, params.id, caller);
    const input = { source: trigger.kind, test: true, ...body.input };
    const { kind, config } = trigger;
    const ignored = kind === 'schedule' ? undefined : findIgnored({ kind, config }, input);
    const found = {
      matches: ignored === undefined,
      ...(ignored?.error !== undefined && { filter_error: ignored.error }),
    };
    if (body.dry_run) return { status: 'dry_run' as const, ...found };
    const { id } = await acceptRun(context, trigger, { input, dedupeKey: effectId(idempotencyId, body) });
    return { run_id: id, status: 'queued' as const, ...found };
  },
});
