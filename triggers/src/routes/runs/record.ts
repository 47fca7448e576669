/** Shared by the routes of runs: wire format and lookup. */
import { notFound } from '@latchkey/http';
import { and, eq, getTableColumns } from 'drizzle-orm';
import { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { runs, triggers } from '../../db/schema.ts';

export const finalStatus = z.enum(['success', 'failed', 'skipped']);
export const runStatus = z.enum(['queued', 'running', ...finalStatus.options]);
const moment = z.iso.datetime().nullable();

export const runRecord = z.object({
  id: z.uuid(),
  trigger_id: z.uuid(),
  trigger_name: z.string(),
  status: runStatus,
  input: z.record(z.string(), z.unknown()),
  response: z.unknown(),
  error: z
    .object({ name: z.string(), message: z.string(), stack: z.string().optional() })
    .nullable()
    .meta({ description: 'Error of a failed run. Has a `stack` when the action threw.' }),
  cost_micros: z.int().nullable().meta({
    description:
      'Cost of the run in micro-credits (1,000,000 micro-credits are 1 credit). Null before the run ends, and when the cost is unknown.',
  }),
  attempt: z.int().meta({
    description:
      'Number of requests to the relayer that count: an outage, a limit and missing credit cost none.',
  }),
  approval_id: z.uuid().nullable().meta({
    description:
      'The approval that a queued run waits for, or with which the run went on. GET /core/v1/approval/{id} of the relayer shows it.',
  }),
  revision: z.int().nullable().meta({ description: 'Revision of the trigger that the run uses.' }),
  cid: z.string().nullable().meta({ description: 'CID of the code that ran.' }),
  relayer_run_id: z.uuid().nullable().meta({
    description: "The relayer's record of the run. GET /core/v1/get_run of the relayer shows it.",
  }),
  duration_ms: z.int().nullable().meta({ description: 'Wall time of the run.' }),
  scheduled_for: moment.meta({ description: 'Slot of the schedule that fired the run.' }),
  started_at: moment,
  finished_at: moment,
  created_at: z.iso.datetime(),
  replay_of: z.uuid().nullable(),
  retracted_at: moment.meta({ description: 'When a reorg dropped the log that fired the run.' }),
});

type Run = typeof runs.$inferSelect & { triggerName: string };

/** The columns of a run with the name of its trigger. The query joins `triggers`. */
export const runColumns = { ...getTableColumns(runs), triggerName: triggers.name };

export function toRunRecord(run: Run): z.output<typeof runRecord> {
  const text = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id: run.id,
    trigger_id: run.triggerId,
    trigger_name: run.triggerName,
    status: run.status,
    input: run.input,
    response: run.response,
    error: run.error,
    cost_micros: run.costMicros,
    attempt: run.attempt,
    approval_id: run.approvalId,
    revision: run.revision,
    cid: run.cid,
    relayer_run_id: run.relayerRunId,
    duration_ms: run.durationMs,
    scheduled_for: text(run.scheduledFor),
    started_at: text(run.startedAt),
    finished_at: text(run.finishedAt),
    created_at: run.createdAt.toISOString(),
    replay_of: run.replayOf,
    retracted_at: text(run.retractedAt),
  };
}

export const runParams = z.object({ id: z.guid() });
export const queuedRun = z.object({ run_id: z.uuid(), status: z.literal('queued') });

/** Resolves to a run of the caller. Throws 404 for an unknown run and for a run of another user. */
export async function ownRun(
  { db }: Pick<Context, 'db'>,
  id: string,
  caller: Pick<User, 'id'>,
): Promise<Run> {
  const [run] = await db
    .select(runColumns)
    .from(runs)
    .innerJoin(triggers, eq(triggers.id, runs.triggerId))
    .where(and(eq(runs.id, id), eq(runs.userId, caller.id)));
  if (!run)
    throw notFound('Run not found.', { fix: 'Find the runs with GET /api/runs. Old ones are deleted.' });
  return run;
}
