import { z } from 'zod';
import type { Context } from '../../context.ts';
import { stopRun as stop } from '../../runs/stop.ts';
import { defineRoute } from '../define-route.ts';
import { ownRun, runParams, runRecord, toRunRecord } from './record.ts';

export const stopRun = defineRoute({
  method: 'POST',
  path: '/api/runs/:id/stop',
  tag: 'runs',
  summary: 'Stops a run',
  description:
    'A queued run is not executed. When the reply to an earlier request of it was lost, the relayer is asked to stop it, and `error` says ' +
    'that it may have been executed. A running one ends with `StoppedError` and is charged for the seconds that it used. Both end as ' +
    '`failed`, and do not count for `pause_after_failures`. Returns the run when it has ended; when the end takes longer than 5 ' +
    'seconds, also because the relayer does not answer, `status` is still `running` or `queued`, and the run is stopped later. Has no effect on a run that has ended.',
  auth: 'agentOrSession',
  waits: true,
  params: runParams,
  body: z.object({}),
  reply: runRecord,
  errors: ['not_found', 'service_unavailable'],
  example: {
    body: {},
    reply: {
      id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55',
      trigger_id: '5d3c0b7e-90b1-4d7c-8f5e-2b1a6c9d8e7f',
      trigger_name: 'orders',
      status: 'failed',
      input: {},
      response: null,
      error: { name: 'StoppedError', message: 'the run was stopped before it began' },
      cost_micros: null,
      attempt: 0,
      approval_id: null,
      revision: null,
      cid: null,
      relayer_run_id: null,
      duration_ms: null,
      scheduled_for: null,
      started_at: null,
      finished_at: '2026-01-01T00:00:01.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      replay_of: null,
      retracted_at: null,
    },
  },
  handle: async (context: Pick<Context, 'db' | 'relayer' | 'sealer'>, { params, caller, signal }) => {
    const { id } = await ownRun(context, params.id, caller);
    await stop(context, id, signal);
    return toRunRecord(await ownRun(context, id, caller));
  },
});
