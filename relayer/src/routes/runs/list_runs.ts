import { cid, hash, instant, queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listRuns as readRuns } from '../../db/run-records.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownerOf, ownRun, runRecord, runStatus, toRunRecord } from './record.ts';

export const listRuns = defineRoute({
  method: 'GET',
  path: `${prefix}/list_runs`,
  tag: 'runs',
  summary: 'Lists the records of runs, newest first',
  description:
    'A usage key lists its own runs; the account key and the admin wallet list all runs of the account. A run must match all parameters. ' +
    'The next page begins with `before` of the last id. Records are kept for `RUN_RECORD_DAYS` of the relayer. They never have code, ' +
    'parameters, keys or output; GET /core/v1/run/{id} returns recorded output.',
  auth: 'keyOrWallet',
  query: z.object({
    page_size: queryInteger(1, 1_000, 100),
    before: z.guid().optional().meta({ description: 'Id of a run: lists the runs that began before it.' }),
    usage_key_hash: hash.optional(),
    cid: cid.optional(),
    status: runStatus.optional(),
    error_name: z
      .string()
      .max(200)
      .regex(/^\P{C}*$/u)
      .optional(),
    from: instant.optional().meta({ description: 'Runs that began at this time or later.' }),
    to: instant.optional().meta({ description: 'Runs that began before this time.' }),
  }),
  reply: z.array(runRecord),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query, caller }) => {
    const { page_size: limit, usage_key_hash: key, error_name: errorName, ...rest } = query;
    if (rest.before !== undefined) await ownRun({ db }, caller, rest.before);
    const filter = { ...rest, errorName, key: key === undefined ? undefined : hashText(key) };
    const found = await readRuns(db, ownerOf(caller), filter, limit);
    return found.map(toRunRecord);
  },
});
