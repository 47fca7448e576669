/** What the routes of runs share: a run on the wire, the way to its row, and why no run was taken. */
import { conflict, notFound, tooManyRequests } from '@latchkey/http';
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { runs } from '../../db/schema.ts';
import { QueueFullError, TriggerDisabledError } from '../../runs/accept.ts';

export const finalStatus = z.enum(['success', 'failed']);
export const runStatus = z.enum(['queued', 'running', ...finalStatus.options]);
const moment = z.iso.datetime().nullable();

export const runRecord = z.object({
  id: z.uuid(),
  trigger_id: z.uuid(),
  status: runStatus,
  input: z.record(z.string(), z.unknown()),
  response: z.unknown(),
  error: z
    .object({ name: z.string(), message: z.string(), stack: z.string().optional() })
    .nullable()
    .meta({ description: 'Of a failed run. Its stack is that of a throw of the action.' }),
  cost_micros: z.int().nullable().meta({
    description:
      'Credit that the run cost, in micro-credits: a million are one. Null before its end, and when no reply said.',
  }),
  attempt: z.int().meta({ description: 'Requests to the core service that ended.' }),
  scheduled_for: moment.meta({ description: 'The slot of a schedule.' }),
  started_at: moment,
  finished_at: moment,
  created_at: z.iso.datetime(),
  replay_of: z.uuid().nullable(),
  retracted_at: moment.meta({ description: 'When the log that fired it was dropped by its chain.' }),
});

type Run = typeof runs.$inferSelect;

export function toRunRecord(run: Run): z.output<typeof runRecord> {
  const text = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id: run.id,
    trigger_id: run.triggerId,
    status: run.status,
    input: run.input,
    response: run.response,
    error: run.error,
    cost_micros: run.costMicros,
    attempt: run.attempt,
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

/** 404 for a run of somebody else, as for one that is not there. */
export async function ownRun({ db }: Pick<Context, 'db'>, id: string, caller: User): Promise<Run> {
  const [run] = await db
    .select()
    .from(runs)
    .where(and(eq(runs.id, id), eq(runs.userId, caller.id)));
  if (!run) throw notFound('There is no such run.');
  return run;
}

/** Why a run was not accepted, as its owner is told. */
export async function refusing<T>(accepting: Promise<T>): Promise<T> {
  try {
    return await accepting;
  } catch (error) {
    if (error instanceof QueueFullError) throw tooManyRequests(error.message, error.retryAfterSec);
    if (error instanceof TriggerDisabledError)
      throw conflict(error.message, { fix: 'Enable it: PATCH /api/triggers/:id {"enabled": true}.' });
    throw error;
  }
}
