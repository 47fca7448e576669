/** Approvals of runs: the statement that approvers sign as typed data (EIP-712). */
import { type Address, type Hex, hashTypedData, numberToHex } from 'viem';
import { domainOf } from './signed-writes.ts';

/** The decisions that an approver can sign. */
export type ApprovalDecision = 'ApproveRun' | 'RefuseRun';

const fields = [
  { name: 'summary', type: 'string' },
  { name: 'action', type: 'string' },
  { name: 'hash', type: 'bytes32' },
  { name: 'account', type: 'bytes32' },
  { name: 'usageKeyHash', type: 'bytes32' },
  { name: 'approvalId', type: 'bytes16' },
  { name: 'expires', type: 'uint64' },
] as const;

export type ApprovalStatement = {
  summary: string;
  /** CID of the action that asked. */
  cid: string;
  /** Identifies what the action does once it is approved. */
  hash: Hex;
  /** Master hash of the account. */
  account: bigint;
  usageKeyHash: bigint;
  /** Id of the approval, a UUID. */
  id: string;
  /** Last Unix second at which the approval counts. */
  expires: number;
};

export type ApprovalDeployment = { chainId: number; contractAddress: Address };

/** Returns the typed data of a decision about an approval, for a deployment of the contract. */
export const buildApproval = <Decision extends ApprovalDecision>(
  decision: Decision,
  { summary, cid, hash, account, usageKeyHash, id, expires }: ApprovalStatement,
  { chainId, contractAddress }: ApprovalDeployment,
) => ({
  domain: domainOf(chainId, contractAddress),
  types: { [decision]: fields } as Record<Decision, typeof fields>,
  primaryType: decision,
  message: {
    summary,
    action: cid,
    hash,
    account: numberToHex(account, { size: 32 }),
    usageKeyHash: numberToHex(usageKeyHash, { size: 32 }),
    approvalId: `0x${id.replaceAll('-', '')}` as Hex,
    expires: BigInt(expires),
  },
});

/** Returns the digest that an approver signs. */
export const approvalDigest = (
  decision: ApprovalDecision,
  statement: ApprovalStatement,
  deployment: ApprovalDeployment,
): Hex =>
  hashTypedData(buildApproval(decision, statement, deployment) as Parameters<typeof hashTypedData>[0]);
