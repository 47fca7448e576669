import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { attempts } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { ownRun, runParams, runRecord, toRunRecord } from './record.ts';

export const getRun = defineRoute({
  method: 'GET',
  path: '/api/runs/:id',
  tag: 'runs',
  summary: 'Reads a run with its logs and attempts',
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
  errors: ['not_found', 'service_unavailable'],
  handle: async (context: Pick<Context, 'db'>, { params, caller }) => {
    const run = await ownRun(context, params.id, caller);
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
