/** A run with its attempts, and its events while it is read. */
import { setTimeout as delay } from 'node:timers/promises';
import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { LiveUser } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { attempts } from '../../db/schema.ts';
import { finalStatus, ownRun, runStatus } from './record.ts';

const POLL_MS = 500;

export const runEvents = {
  status: z.object({ status: runStatus }),
  log: z.object({ text: z.string() }),
  restart: z.object({}),
};

export const attemptRecord = z.object({
  number: z.int(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  http_status: z
    .int()
    .meta({ description: 'HTTP status of the reply of the relayer, 0 when there was none.' }),
  message: z.string(),
});

export async function attemptsOf({ db }: Pick<Context, 'db'>, runId: string) {
  const made = await db
    .select()
    .from(attempts)
    .where(eq(attempts.runId, runId))
    .orderBy(asc(attempts.number));
  return made.map(({ number, startedAt, finishedAt, httpStatus, message }) => ({
    number,
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    http_status: httpStatus,
    message,
  }));
}

type SendEvent = <Name extends keyof typeof runEvents>(
  name: Name,
  data: z.output<(typeof runEvents)[Name]>,
) => void;

/**
 * Sends the events of a run of the caller until it has ended. Resolves to its last state. Rejects with 401 when the caller's login ends, and with
 * 429 when another agent needs the place.
 */
export async function followRun(
  context: Pick<Context, 'db' | 'limits'>,
  id: string,
  caller: LiveUser,
  sendEvent: SendEvent,
  signal: AbortSignal,
) {
  let run = await ownRun(context, id, caller);
  const sharing = `${caller.id} ${caller.agent === undefined ? 'people' : 'agents'}`;
  using place = context.limits.liveReads.enter(sharing, caller.agent ?? '');
  let status: string | undefined;
  for (let sent = ''; ; run = await ownRun(context, id, caller)) {
    if (run.status !== status) sendEvent('status', { status: run.status });
    status = run.status;
    const logs = run.logs ?? '';
    const isContinued = logs.startsWith(sent);
    if (!isContinued) sendEvent('restart', {});
    const text = isContinued ? logs.slice(sent.length) : logs;
    if (text !== '') sendEvent('log', { text });
    sent = logs;
    if (signal.aborted || finalStatus.safeParse(run.status).success) return run;
    await delay(POLL_MS);
    place.signal.throwIfAborted();
    await caller.authenticateAgain();
  }
}
