import { setTimeout as delay } from 'node:timers/promises';
import { idempotencyIdOf } from '@latchkey/http';
import { callerId, type Reader } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { findRunning, type RunRecord } from '../../db/run-records.ts';
import { hashText } from '../../db/text.ts';
import { svcAction } from '../actions/svc_action.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownRun, runParams, runRecord, toRunRecord } from './record.ts';

/** A stopped run ends within a quarter of a second. Storing its end takes further time. */
const WAIT_MS = 5_000;
const POLL_MS = 25;

export const stopRun = defineRoute({
  method: 'DELETE',
  path: `${prefix}/run/:id`,
  tag: 'runs',
  summary: 'Stops a run',
  description:
    'The run ends with `StoppedError`, is charged for the seconds that it used, and its caller gets that result. Returns the record when ' +
    'the run has ended; `status` is `running` when the end takes longer than 5 seconds. Has no effect on a run that has ended. A usage key can ' +
    'also send the `Idempotency-Key` of its `svc_action` as the id, when that is a UUID: the reply is 404 unless that run is in progress.',
  auth: 'keyOrWallet',
  waits: true,
  params: runParams,
  reply: runRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db, runStops }: Pick<Context, 'db' | 'runStops'>, { params, caller, signal }) => {
    let run = (await findRequested({ db }, caller, params.id)) ?? (await ownRun({ db }, caller, params.id));
    if (!run.endedAt) await runStops.stop(run.id);
    const deadline = performance.now() + WAIT_MS;
    while (!run.endedAt && performance.now() < deadline && !signal.aborted) {
      await delay(POLL_MS);
      run = await ownRun({ db }, caller, run.id);
    }
    return toRunRecord(run);
  },
});

/** Resolves to the run in progress that the usage key requested with this idempotency key. Also while it waits: its id is not known then. */
async function findRequested(
  { db }: Pick<Context, 'db'>,
  caller: Reader,
  key: string,
): Promise<RunRecord | undefined> {
  if (!caller.isUsageKey) return undefined;
  const { method, path } = svcAction;
  const idempotencyId = idempotencyIdOf({ scope: `caller ${callerId(caller)}`, method, path, key });
  return findRunning(db, { key: hashText(caller.hash), idempotencyId });
}
