import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { approvalRecord, knownApproval } from './record.ts';

export const getApproval = defineRoute({
  method: 'GET',
  path: `${prefix}/approval/:id`,
  tag: 'approvals',
  summary: 'Returns an approval',
  description: 'The id is a secret for the approvers: who has it can read the approval without a key.',
  auth: 'none',
  params: z.object({ id: z.guid() }),
  reply: approvalRecord,
  errors: ['not_found', 'service_unavailable', 'too_many_requests'],
  handle: (context: Pick<Context, 'approvals' | 'unknownKeyLimit'>, { params, ip }) =>
    knownApproval(context, ip, () => context.approvals.find(params.id)),
});
