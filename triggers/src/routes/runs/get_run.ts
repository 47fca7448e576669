import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { attemptRecord, attemptsOf, followRun, runEvents } from './live.ts';
import { ownRun, runParams, runRecord, toRunRecord } from './record.ts';

export const getRun = defineRoute({
  method: 'GET',
  path: '/api/runs/:id',
  tag: 'runs',
  summary: 'Reads a run with its logs and attempts',
  description:
    'A run in flight has its logs until now. With `Accept: text/event-stream` the reply is a stream: `status` (`{status}`) now and at ' +
    'each change, `log` (`{text}`) with each new part of the logs, and last `result` (`{status, headers, body}`) when the run has ended. ' +
    '`restart` tells that the logs begin again, because the run is executed again. The stream ends with a 401 in `result` when the token or session ' +
    'ends.',
  auth: 'agentOrSession',
  params: runParams,
  reply: runRecord.extend({
    logs: z.string().nullable(),
    attempts: z.array(attemptRecord),
  }),
  events: runEvents,
  errors: ['not_found', 'too_many_requests', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'limits'>, { params, caller, sendEvent, signal }) => {
    const run = await (sendEvent
      ? followRun(context, params.id, caller, sendEvent, signal)
      : ownRun(context, params.id, caller));
    return { ...toRunRecord(run), logs: run.logs, attempts: await attemptsOf(context, run.id) };
  },
});
