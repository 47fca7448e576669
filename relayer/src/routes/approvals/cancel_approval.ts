import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { cancelApproval as cancel } from '../../db/approvals.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { approvalRecord, exampleDecision, toApprovalRecord } from './record.ts';

const { body, reply } = exampleDecision({ state: 'expired', signed_by: [], refused_by: null });

export const cancelApproval = defineRoute({
  method: 'POST',
  path: `${prefix}/cancel_approval`,
  tag: 'approvals',
  summary: 'Ends an open approval of the account',
  description:
    'It is `expired` then: its run can no longer go on, and it no longer counts as open. One that has ended, or that a run has, stays as it is.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ id: z.guid() }),
  reply: approvalRecord,
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  example: { body: { id: body.id }, reply },
  handle: async ({ db }: Pick<Context, 'db'>, { body: { id }, caller }) => {
    const found = await cancel(db, hashText(caller.account), id);
    if (!found)
      throw notFound('The account does not have this approval.', {
        fix: 'Find its approvals with list_approvals.',
      });
    return toApprovalRecord(found);
  },
});
