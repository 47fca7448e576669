/** Verifies the approvals that a run goes on with. The code of the action says who must have signed. */
import { type ApprovalStatement, approvalDigest, recoverSigner, signatureBytes } from '@latchkey/protocol';
import {
  ActionError,
  type ApprovalProof,
  type ApprovalRequest,
  approvalRequest,
  checked,
  LONGEST_APPROVAL_SEC,
  type ToRunner,
} from '@latchkey/runner-protocol';
import type { Address, Hex } from 'viem';

/** Returns the proof that the run was given of this approval, undefined when it has none that holds. */
export type FindApproval = (request: ApprovalRequest) => ApprovalProof | undefined;

const nowSec = (): number => Math.floor(Date.now() / 1_000);

/** Returns the argument of `requireApproval`. Throws an `ActionError` that names what is wrong. */
export function readApprovalRequest(args: unknown): ApprovalRequest {
  const request = checked(approvalRequest, args);
  if (request.expires <= nowSec()) throw new ActionError('TypeError', 'expires is in the past');
  if (request.expires > nowSec() + LONGEST_APPROVAL_SEC)
    throw new ActionError('TypeError', `expires is more than ${LONGEST_APPROVAL_SEC} seconds from now`);
  return request;
}

type RunMessage = Extract<ToRunner, { type: 'run' }>;

export function createFindApproval({
  approved,
  cid,
  usageKeyHash,
}: Pick<RunMessage, 'approved' | 'cid' | 'usageKeyHash'>): FindApproval | undefined {
  if (!approved) return undefined;
  const { account, chainId, contractAddress, proofs } = approved;
  const deployment = { chainId, contractAddress: contractAddress as Address };
  const run = { cid, account: BigInt(account), usageKeyHash: BigInt(usageKeyHash) };
  return (request) =>
    proofs.find(({ id, expires, signatures }) => {
      // The action can give a time that counts from its start, which the signed time is then before.
      if (expires <= nowSec() || expires > request.expires) return false;
      const { summary, hash } = request;
      const statement: ApprovalStatement = { ...run, summary, hash, id, expires };
      return isSigned(approvalDigest('ApproveRun', statement, deployment), signatures, request);
    });
}

/** Returns true when enough approvers signed, and no other wallet. */
function isSigned(
  digest: Hex,
  signatures: ApprovalProof['signatures'],
  { approvers, contractApprovers, threshold }: ApprovalRequest,
): boolean {
  const signers = new Set<Address>();
  for (const { approver, signature } of signatures) {
    signers.add(approver);
    // A runner has no chain to ask a contract wallet: the relayer did.
    if (contractApprovers.includes(approver)) continue;
    const bytes = signatureBytes(signature);
    if (!approvers.includes(approver) || !bytes || recoverSigner(digest, bytes) !== approver) return false;
  }
  return signers.size >= threshold;
}
