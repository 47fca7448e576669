import { instant } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { replayRuns } from '../../runs/accept.ts';
import { defineRoute } from '../define-route.ts';
import { finalStatus } from '../runs/record.ts';
import { ownTrigger, triggerParams } from './record.ts';

const moment = instant.optional();

export const replayTrigger = defineRoute({
  method: 'POST',
  path: '/api/triggers/:id/replay',
  tag: 'runs',
  summary: 'Replays finished runs by time range or status',
  description:
    'Creates a new run with the same input for each, oldest first, as many as the limits of the trigger allow. Skips runs that ' +
    'were already replayed: repeat the request until `remaining` is 0.',
  auth: 'agentOrSession',
  params: triggerParams,
  body: z
    .object({
      from: moment.meta({ description: 'Replays runs accepted at this time or later.' }),
      to: moment.meta({ description: 'Replays runs accepted before this time.' }),
      status: finalStatus.optional(),
    })
    .refine(
      ({ from, to, status }) => (from ?? to ?? status) !== undefined,
      'expected at least one of from, to and status',
    ),
  reply: z.object({
    replayed: z.int().meta({ description: 'Number of new runs.' }),
    remaining: z
      .int()
      .meta({ description: 'Number of matching runs that the limits left for a later request.' }),
  }),
  status: 202,
  errors: ['not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z', status: 'failed' },
    reply: { replayed: 3, remaining: 0 },
  },
  handle: async (context: Pick<Context, 'db' | 'worker'>, { params, body, caller }) => {
    const trigger = await ownTrigger(context, params.id, caller);
    const { from, to, status } = body;
    // Runs that a newer event replaced are replayed only when asked for.
    const statuses: (typeof status & {})[] = status === undefined ? ['success', 'failed'] : [status];
    return replayRuns(context, trigger, { from, to, statuses });
  },
});
