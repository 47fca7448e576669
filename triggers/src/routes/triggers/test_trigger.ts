import { z } from 'zod';
import type { Context } from '../../context.ts';
import { acceptRun } from '../../runs/accept.ts';
import { defineRoute } from '../define-route.ts';
import { effectId } from '../effect-id.ts';
import { queuedRun } from '../runs/record.ts';
import { CODE_BODY_LIMIT_BYTES, ownTrigger, triggerParams } from './record.ts';

export const testTrigger = defineRoute({
  method: 'POST',
  path: '/api/triggers/:id/test',
  tag: 'triggers',
  summary: 'Runs a trigger immediately',
  description:
    'The action receives `input` with `source` (the kind of the trigger) and `test: true`. The run counts against the limits and is charged.',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  params: triggerParams,
  body: z.object({ input: z.record(z.string(), z.unknown()).default({}) }),
  reply: queuedRun,
  status: 202,
  errors: ['not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { input: { source: 'test' } },
    reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued' },
  },
  handle: async (context: Pick<Context, 'db' | 'worker'>, { params, body, caller, idempotencyId }) => {
    const trigger = await ownTrigger(context, params.id, caller);
    const input = { source: trigger.kind, test: true, ...body.input };
    const { id } = await acceptRun(context, trigger, { input, dedupeKey: effectId(idempotencyId, body) });
    return { run_id: id, status: 'queued' as const };
  },
});
