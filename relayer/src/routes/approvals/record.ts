/** Shared by the routes of approvals: wire form, and the decisions of approvers. */
import { countMisses, hexBytes, notFound, wireCodec } from '@latchkey/http';
import { type ApprovalDecision, parseAddress } from '@latchkey/protocol';
import { parsePasskey } from '@latchkey/protocol/passkey';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { type ApprovalRecord, approvalStates, stateOf, toWireRequest } from '../../db/approvals.ts';
import { exampleSignature } from '../define-route.ts';

export const approvalRecord = z.object({
  id: z.string(),
  state: z.enum(approvalStates).meta({
    description:
      '`approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.',
  }),
  summary: z.string().meta({ description: 'Text of the action: read it with suspicion.' }),
  hash: z.string(),
  account: z.string().meta({ description: 'Master hash of the account.' }),
  usage_key_hash: z.string(),
  cid: z.string().meta({ description: 'CID of the action that asks.' }),
  approvers: z.array(z.string()),
  contract_approvers: z.array(z.string()),
  passkey_approvers: z.array(z.string()).meta({ description: 'Public keys of passkeys.' }),
  passkey_rp_id: z
    .string()
    .nullable()
    .meta({ description: 'Domain of the pages for which the passkeys were made.' }),
  threshold: z.int(),
  expires: z.int().meta({ description: 'Last Unix second at which it counts.' }),
  signed_by: z.array(z.string()).meta({ description: 'The approvers who have signed.' }),
  refused_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  run_id: z.string().meta({ description: 'The run that asked.' }),
  continued_by: z.string().nullable().meta({ description: 'The run that went on.' }),
});

export const toApprovalRecord = (approval: ApprovalRecord): z.output<typeof approvalRecord> => ({
  id: approval.id,
  state: stateOf(approval),
  account: approval.account,
  usage_key_hash: approval.key,
  cid: approval.cid,
  ...toWireRequest(approval.request),
  signed_by: approval.signedBy,
  refused_by: approval.refusedBy,
  created_at: approval.createdAt.toISOString(),
  run_id: approval.runId,
  continued_by: approval.usedBy,
});

const approver = wireCodec(
  z.string(),
  z.custom<Hex>((value) => typeof value === 'string'),
  'expected an address in one case or with its EIP-55 checksum, or the compressed public key of a passkey',
  (text) => parseAddress(text) ?? parsePasskey(text),
  (value) => value,
);

export const decisionBody = z.strictObject({
  id: z.guid(),
  approver: approver.meta({
    description: 'The approver who signed: an address, or the public key of a passkey.',
  }),
  signature: hexBytes.meta({
    description:
      'Hex: 64 or 65 bytes from a wallet with a key, or up to 4,096 bytes for a deployed contract wallet (ERC-1271) and for an assertion of a ' +
      'passkey as docs/approvals.md encodes it.',
  }),
});

export const exampleApprover = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** Returns the example of a decision for OpenAPI. The signature is not valid. */
export const exampleDecision = (
  decided: Pick<z.input<typeof approvalRecord>, 'state' | 'signed_by' | 'refused_by'>,
) => ({
  body: {
    id: '0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11',
    approver: exampleApprover,
    signature: exampleSignature,
  },
  reply: {
    id: '0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11',
    summary: 'Send 1 ETH to 0x000000000000000000000000000000000000dEaD',
    hash: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
    account: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    usage_key_hash: '0x9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb8bf3b0501',
    cid: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
    approvers: [exampleApprover],
    contract_approvers: [],
    passkey_approvers: [],
    passkey_rp_id: null,
    threshold: 1,
    expires: 1_893_456_000,
    created_at: '2026-11-29T12:00:00.000Z',
    run_id: '2a6c4a58-0f0f-4f5e-8b1e-9a1d3f3b8c11',
    continued_by: null,
    ...decided,
  },
});

type Slice = Pick<Context, 'approvals' | 'decisionLimit' | 'unknownKeyLimit'>;

/** Calls `ask` and counts an approval that does not exist for the address. Throws 404 for it. */
export async function knownApproval(
  { unknownKeyLimit }: Pick<Slice, 'unknownKeyLimit'>,
  ip: string,
  ask: () => Promise<ApprovalRecord | undefined>,
): Promise<z.output<typeof approvalRecord>> {
  const found = await countMisses(unknownKeyLimit, ip, ask);
  if (!found)
    throw notFound('There is no such approval.', {
      fix: 'Send the approval_id of the run that waits. An approval is deleted some time after it has expired.',
    });
  return toApprovalRecord(found);
}

export const decide =
  (decision: ApprovalDecision) =>
  async (context: Slice, { body, ip }: { body: z.output<typeof decisionBody>; ip: string }) => {
    await context.decisionLimit.take(ip);
    return knownApproval(context, ip, () => context.approvals.decide(decision, body));
  };
