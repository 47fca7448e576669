import { defineRoute, prefix } from '../define-route.ts';
import { approvalRecord, decide, decisionBody, exampleApprover, exampleDecision } from './record.ts';

export const refuseApproval = defineRoute({
  method: 'POST',
  path: `${prefix}/refuse_approval`,
  tag: 'approvals',
  summary: 'Refuses an approval',
  description:
    'The signature is over the typed data `RefuseRun` of docs/approvals.md. One approver ends the approval for all: its run can no longer go on. ' +
    'The reply says `used` when a run has the approval: the refusal counts if that run gives it back because its code did not begin.',
  auth: 'none',
  body: decisionBody,
  reply: approvalRecord,
  errors: ['forbidden', 'not_found', 'conflict', 'service_unavailable', 'too_many_requests'],
  example: exampleDecision({ state: 'refused', signed_by: [], refused_by: exampleApprover }),
  handle: decide('RefuseRun'),
});
