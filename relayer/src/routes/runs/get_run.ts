import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownRun, runParams, runRecord, toRunRecord } from './record.ts';

export const getRun = defineRoute({
  method: 'GET',
  path: `${prefix}/run/:id`,
  tag: 'runs',
  summary: 'Returns the record of a run',
  auth: 'keyOrWallet',
  params: runParams,
  reply: runRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { params, caller }) =>
    toRunRecord(await ownRun({ db }, caller, params.id)),
});
