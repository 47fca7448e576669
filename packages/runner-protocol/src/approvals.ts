/** Approvals: what an action asks for, and the proof that a run goes on with. */
import { parsePasskey } from '@latchkey/protocol/passkey';
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
const passkey = z.string('is not a string').transform((text, context): Hex => {
  const publicKey = parsePasskey(text);
  if (publicKey !== undefined) return publicKey;
  context.addIssue('is not a P-256 public key: send 0x and the 66 hex digits of its compressed form');
  return z.NEVER;
});
const MAX_DOMAIN_CHARS = 253;
const ADDRESS_CHARS = 42;

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
    /** Public keys of passkeys, whose assertions the runner verifies. */
    passkeyApprovers: z
      .array(passkey, 'is not a list of public keys')
      .max(MAX_APPROVERS, 'has too many public keys')
      .default([]),
    /** Domain of the pages for which the passkeys were made (rpId of WebAuthn). */
    passkeyRpId: z
      .string('is not a string')
      .max(MAX_DOMAIN_CHARS, `has more than ${MAX_DOMAIN_CHARS} characters`)
      .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, 'is not a domain in lower case')
      .optional(),
    threshold: z.int('is not an integer').min(1, 'is less than 1'),
    /** Last Unix second at which the approval counts. */
    expires: z
      .int('is not an integer: send Unix seconds')
      .positive('is not in Unix seconds')
      .max(LAST_SECOND, 'is not in Unix seconds'),
  })
  .superRefine(({ approvers, contractApprovers, passkeyApprovers, passkeyRpId, threshold }, { addIssue }) => {
    const addresses = [...approvers, ...contractApprovers];
    const count = addresses.length + passkeyApprovers.length;
    const add = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (new Set(addresses).size < addresses.length) add('approvers', 'has an address twice');
    if (new Set(passkeyApprovers).size < passkeyApprovers.length)
      add('passkeyApprovers', 'has a public key twice');
    if (passkeyApprovers.length > 0 && passkeyRpId === undefined)
      add('passkeyRpId', 'is missing: send the domain for which the passkeys were made');
    if (count > MAX_APPROVERS)
      add('approvers', `has more than ${MAX_APPROVERS}, with contractApprovers and passkeyApprovers`);
    if (threshold > count) add('threshold', 'is greater than the number of approvers');
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
        /** An address, or the public key of a passkey. */
        approver: z
          .string()
          .regex(/^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{66})$/)
          .transform((text) =>
            text.length === ADDRESS_CHARS ? getAddress(text.toLowerCase()) : (text.toLowerCase() as Hex),
          ),
        signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){0,4096}$/),
      }),
    )
    .max(MAX_APPROVERS),
});
export type ApprovalProof = z.infer<typeof approvalProof>;

/** Returns whether a passkey has signed one of the approvals. */
export const hasPasskeys = (proofs: readonly ApprovalProof[]): boolean =>
  proofs.some(({ signatures }) => signatures.some(({ approver }) => approver.length > ADDRESS_CHARS));

/** Ends a run that asks for an approval that it does not have. */
export class ApprovalRequiredError extends ActionError {
  readonly request: ApprovalRequest;

  constructor(request: ApprovalRequest) {
    super('ApprovalRequiredError', 'the run needs an approval');
    this.request = request;
  }
}
