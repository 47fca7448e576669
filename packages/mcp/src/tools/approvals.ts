/** Approvals of runs. */
import { type ApiClient, type Approval, HttpError, usageKeyHash } from '@latchkey/sdk';
import { id, newest } from '../inputs.ts';
import { reads, type Tool, tool } from '../tool.ts';

export const approvalTools = (client: ApiClient, usageKey: string): Tool[] => [
  tool('list_approvals', {
    title: 'List approvals',
    description: 'Lists the approvals that runs of this usage key asked for, the newest first.',
    hints: reads,
    input: newest,
    run: async (input, { signal }) => {
      const { items, nextPage } = await client.listApprovals(input, { signal });
      return { items: items.map(toItem), nextPage };
    },
  }),
  tool('get_approval', {
    title: 'Read an approval',
    description:
      'Returns an approval that a run of this usage key asked for. When its state is approved, continue_run goes on with the run. ' +
      'Only the wallets in approvers can approve: on the page /approvals/<id> of the dashboard.',
    hints: reads,
    input: { approvalId: id },
    run: async (input, { signal }) => {
      const approval = await client.getApproval(input, { signal });
      // The service shows an approval to everyone who has its id.
      if (approval.usageKeyHash !== usageKeyHash(usageKey))
        throw new HttpError('not_found', 'no run of this usage key asked for this approval', { status: 404 });
      return toItem(approval);
    },
  }),
];

const toItem = ({ account: _, usageKeyHash: _hash, ...approval }: Approval) => approval;
