import { z } from 'zod';
import type { Context } from '../../context.ts';
import { acceptRun } from '../../runs/accept.ts';
import { defineRoute } from '../define-route.ts';
import { effectId } from '../effect-id.ts';
import { CODE_BODY_LIMIT_BYTES } from '../triggers/record.ts';
import { ownRun, queuedRun, runParams } from './record.ts';

export const replayRun = defineRoute({
  method: 'POST',
  path: '/api/runs/:id/replay',
  tag: 'runs',
  summary: 'Replays a run',
  description:
    'Creates a new run with the same input, or with `input`, and the current action. The new run is charged.',
  auth: 'agentOrSession',
  params: runParams,
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  body: z.object({ input: z.record(z.string(), z.unknown()).optional() }),
  reply: queuedRun,
  status: 202,
  errors: ['not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {},
    reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued' },
  },
  handle: async (context: Pick<Context, 'db' | 'worker'>, { params, body, caller, idempotencyId }) => {
    const run = await ownRun(context, params.id, caller);
    const { id: replayOf, triggerId, scheduledFor } = run;
    const input = body.input ?? run.input;
    const made = await acceptRun(
      context,
      { id: triggerId },
      { input, scheduledFor, replayOf, dedupeKey: effectId(idempotencyId, body) },
    );
    return { run_id: made.id, status: 'queued' as const };
  },
});
