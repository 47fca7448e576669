/** Approvals: what an action asks for, and the proof that a run goes on with. */
import { getAddress, type Hex } from 'viem';
import { z } from 'zod';
import { ActionError } from './errors.ts';
import { pkpId } from './pkp-id.ts';

const MAX_SUMMARY_CHARS = 500;
const MAX_APPROVERS = 20;
/** Approvals that one run can ask for, one after another. */
export const MAX_PROOFS = 10;
const LONGEST_DAYS = 30;
export const LONGEST_APPROVAL_SEC = LONGEST_DAYS * 86_400;

/** Last second of a `Date`. */
const LAST_SECOND = 8_640_000_000_000;

const approvers = z.array(pkpId, 'is not a list of addresses').max(MAX_APPROVERS, 'has too many addresses');

/** The argument of `requireApproval`. The code of the action decides all of it, and so does its CID. */
export const approvalRequest = z
  .object({
    summary: z
      .string('is not a string')
      .min(1, 'is empty')
      .max(MAX_SUMMARY_CHARS, `has more than ${MAX_SUMMARY_CHARS} characters`)
      // Such characters can make a text look like another one.
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'has a line break, or a control, format or unassigned character'),
    hash: z
      .string('is not a string')
      .regex(/^0x[0-9a-fA-F]{64}$/, 'is not 0x and 64 hex digits')
      .transform((text) => text.toLowerCase() as Hex),
    /** Wallets with a private key, whose signatures the runner verifies. */
    approvers: approvers.default([]),
    /** Contract wallets (ERC-1271), whose signatures the relayer verifies. */
    contractApprovers: approvers.default([]),
    threshold: z.int('is not an integer').min(1, 'is less than 1'),
    /** Last Unix second at which the approval counts. */
    expires: z
      .int('is not an integer: send Unix seconds')
      .positive('is not in Unix seconds')
      .max(LAST_SECOND, 'is not in Unix seconds'),
  })
  .superRefine(({ approvers, contractApprovers, threshold }, { addIssue }) => {
    const all = [...approvers, ...contractApprovers];
    const add = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (new Set(all).size < all.length) add('approvers', 'has an address twice');
    if (all.length > MAX_APPROVERS)
      add('approvers', `has more than ${MAX_APPROVERS} addresses, with contractApprovers`);
    if (threshold > all.length) add('threshold', 'is greater than the number of approvers');
  });
export type ApprovalRequest = z.infer<typeof approvalRequest>;

/** The signatures of an approval. */
export const approvalProof = z.object({
  id: z.uuid(),
  /** As it was signed. */
  expires: z.int().positive(),
  signatures: z
    .array(
      z.object({
        approver: z
          .string()
          .regex(/^0x[0-9a-fA-F]{40}$/)
          .transform((text) => getAddress(text.toLowerCase())),
        signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){0,4096}$/),
      }),
    )
    .max(MAX_APPROVERS),
});
export type ApprovalProof = z.infer<typeof approvalProof>;

/** Ends a run that asks for an approval that it does not have. */
export class ApprovalRequiredError extends ActionError {
  readonly request: ApprovalRequest;

  constructor(request: ApprovalRequest) {
    super('ApprovalRequiredError', 'the run needs an approval');
    this.request = request;
  }
}
