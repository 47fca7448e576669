import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../context.ts';
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
    'the run has ended; `status` is `running` when the end takes longer than 5 seconds. Has no effect on a run that has ended.',
  auth: 'writingKeyOrWallet',
  waits: true,
  params: runParams,
  reply: runRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db, runStops }: Pick<Context, 'db' | 'runStops'>, { params, caller, signal }) => {
    let run = await ownRun({ db }, caller, params.id);
    if (!run.endedAt) await runStops.stop(run.id);
    const deadline = performance.now() + WAIT_MS;
    while (!run.endedAt && performance.now() < deadline && !signal.aborted) {
      await delay(POLL_MS);
      run = await ownRun({ db }, caller, params.id);
    }
    return toRunRecord(run);
  },
});
