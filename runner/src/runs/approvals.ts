/** Verifies the approvals that a run goes on with. The code of the action says who must have signed. */
import { type ApprovalStatement, approvalDigest, recoverSigner, signatureBytes } from '@latchkey/protocol';
import { findPasskeyFault } from '@latchkey/protocol/passkey';
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
type Given = Pick<RunMessage, 'approved' | 'cid' | 'usageKeyHash' | 'hasPasskeys'>;

export const createFindApproval =
  (given: Given): FindApproval =>
  (request) => {
    if (request.passkeyApprovers.length > 0 && !given.hasPasskeys)
      throw new ActionError('TypeError', 'passkeyApprovers needs a relayer of a later version');
    return given.approved?.proofs.find((proof) => isOf(request, proof, given));
  };

/** Returns true for a proof of this approval, by its approvers, for the run. */
function isOf(
  request: ApprovalRequest,
  { id, expires, signatures }: ApprovalProof,
  { approved, cid, usageKeyHash }: Given,
): boolean {
  // The action can give a time that counts from its start, which the signed time is then before.
  if (!approved || expires <= nowSec() || expires > request.expires) return false;
  const { account, chainId, contractAddress } = approved;
  const { summary, hash } = request;
  const run = { cid, account: BigInt(account), usageKeyHash: BigInt(usageKeyHash) };
  const statement: ApprovalStatement = { ...run, summary, hash, id, expires };
  const deployment = { chainId, contractAddress: contractAddress as Address };
  const digest = approvalDigest('ApproveRun', statement, deployment);
  const signers = new Set(signatures.map(({ approver }) => approver));
  return signatures.every((signed) => isSigned(digest, signed, request)) && signers.size >= request.threshold;
}

/** Returns true when the approver is one of the action, and has signed. */
function isSigned(
  digest: Hex,
  { approver, signature }: ApprovalProof['signatures'][number],
  { approvers, contractApprovers, passkeyApprovers, passkeyRpId: rpId = '' }: ApprovalRequest,
): boolean {
  // A runner has no chain to ask a contract wallet: the relayer did.
  if (contractApprovers.includes(approver)) return true;
  if (passkeyApprovers.includes(approver))
    return findPasskeyFault(digest, { publicKey: approver, rpId }, signature) === undefined;
  const bytes = signatureBytes(signature);
  return approvers.includes(approver) && bytes !== undefined && recoverSigner(digest, bytes) === approver;
}
