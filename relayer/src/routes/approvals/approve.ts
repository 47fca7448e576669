import { defineRoute, prefix } from '../define-route.ts';
import { approvalRecord, decide, decisionBody, exampleApprover, exampleDecision } from './record.ts';

export const approve = defineRoute({
  method: 'POST',
  path: `${prefix}/approve`,
  tag: 'approvals',
  summary: 'Adds the signature of an approver to an approval',
  description:
    'The signature is over the typed data `ApproveRun` of docs/approvals.md. An approver counts once. The run can go on when `threshold` approvers have signed: ' +
    'svc_action with `approval_id`.',
  auth: 'none',
  body: decisionBody,
  reply: approvalRecord,
  errors: ['forbidden', 'not_found', 'conflict', 'service_unavailable', 'too_many_requests'],
  example: exampleDecision({ state: 'approved', signed_by: [exampleApprover], refused_by: null }),
  handle: decide('ApproveRun'),
});
