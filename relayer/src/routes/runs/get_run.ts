import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownRun, runOutput, runParams, runRecord, toRunRecord } from './record.ts';

export const getRun = defineRoute({
  method: 'GET',
  path: `${prefix}/run/:id`,
  tag: 'runs',
  summary: 'Returns the record of a run',
  auth: 'keyOrWallet',
  params: runParams,
  reply: runRecord.extend({
    output: runOutput.nullable().meta({
      description:
        'The output of the run, when set_usage_api_key_recording was on for its usage key. Null otherwise, and for a usage key.',
    }),
  }),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db, runs }: Pick<Context, 'db' | 'runs'>, { params, caller }) => {
    const run = await ownRun({ db }, caller, params.id);
    // A usage key can have many holders: one must not read the output of another's runs.
    const output = caller.isUsageKey ? undefined : await runs.output(run.id);
    return { ...toRunRecord(run), output: output ?? null };
  },
});
