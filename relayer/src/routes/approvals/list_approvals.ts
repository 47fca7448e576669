import { queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listApprovals as readApprovals } from '../../db/approvals.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownerOf } from '../runs/record.ts';
import { approvalRecord, toApprovalRecord } from './record.ts';

export const listApprovals = defineRoute({
  method: 'GET',
  path: `${prefix}/list_approvals`,
  tag: 'approvals',
  summary: 'Lists approvals, newest first',
  description:
    'A usage key lists those of its own runs; the account key and the admin wallet list all of the account. The next page begins with `before` of the ' +
    'last id. Approvals are kept for `RUN_RECORD_DAYS` of the relayer after they expire.',
  auth: 'keyOrWallet',
  query: z.object({
    page_size: queryInteger(1, 1_000, 100),
    before: z.guid().optional().meta({ description: 'Id of an approval: lists older ones.' }),
  }),
  reply: z.array(approvalRecord),
  errors: ['service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query: { page_size: limit, before }, caller }) =>
    (await readApprovals(db, ownerOf(caller), { before, limit })).map(toApprovalRecord),
});
