import { setTimeout as delay } from 'node:timers/promises';
import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { attempts } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { finalStatus, ownRun, runParams, runRecord, runStatus, toRunRecord } from './record.ts';

const POLL_MS = 500;

export const getRun = defineRoute({
  method: 'GET',
  path: '/api/runs/:id',
  tag: 'runs',
  summary: 'Reads a run with its logs and attempts',
  description:
    'The logs of a running run are those until now. With `Accept: text/event-stream` the reply is a stream: `status` (`{status}`) now and at ' +
    'each change, `log` (`{text}`) with each new part of the logs, and last `result` (`{status, headers, body}`) when the run has ended. ' +
    '`restart` tells that the logs begin again, because the run is executed again. The stream ends with a 401 in `result` when the token or session ' +
    'ends.',
  auth: 'agentOrSession',
  params: runParams,
  reply: runRecord.extend({
    logs: z.string().nullable(),
    attempts: z.array(
      z.object({
        number: z.int(),
        started_at: z.iso.datetime(),
        finished_at: z.iso.datetime(),
        http_status: z
          .int()
          .meta({ description: 'HTTP status of the reply of the relayer, 0 when there was none.' }),
        message: z.string(),
      }),
    ),
  }),
  events: {
    status: z.object({ status: runStatus }),
    log: z.object({ text: z.string() }),
    restart: z.object({}),
  },
  errors: ['not_found', 'too_many_requests', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db' | 'limits'>, { params, caller, sendEvent, signal }) => {
    let run = await ownRun(context, params.id, caller);
    if (sendEvent) {
      using _ = context.limits.liveReads.enter(caller.id);
      let status: string | undefined;
      for (let sent = ''; ; run = await ownRun(context, params.id, caller)) {
        if (run.status !== status) sendEvent('status', { status: run.status });
        status = run.status;
        const logs = run.logs ?? '';
        const isContinued = logs.startsWith(sent);
        if (!isContinued) sendEvent('restart', {});
        const text = isContinued ? logs.slice(sent.length) : logs;
        if (text !== '') sendEvent('log', { text });
        sent = logs;
        if (signal.aborted || finalStatus.safeParse(run.status).success) break;
        await delay(POLL_MS);
        await caller.authenticateAgain();
      }
    }
    const made = await context.db
      .select()
      .from(attempts)
      .where(eq(attempts.runId, run.id))
      .orderBy(asc(attempts.number));
    return {
      ...toRunRecord(run),
      logs: run.logs,
      attempts: made.map(({ number, startedAt, finishedAt, httpStatus, message }) => ({
        number,
        started_at: startedAt.toISOString(),
        finished_at: finishedAt.toISOString(),
        http_status: httpStatus,
        message,
      })),
    };
  },
});
