/** Runs that need an approval, and their approvers. */
import { randomUUID } from 'node:crypto';
import { type ApprovalDecision, type ApprovalStatement, buildApproval } from '@latchkey/protocol';
import { call, get, post, type Reply, stack } from '@latchkey/testing/stack';
import { type Address, type Hex, keccak256, toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';

export const deployment = { chainId: stack.chainId, contractAddress: stack.contractAddress };

/** Asks for one approval, and returns a random number once it has it. */
export const askingCode = (fields: object): string => `// ${randomUUID()}
async function main({ to }) {
  const { id, signatures } = await Svc.Actions.requireApproval({
    summary: 'Pay ' + to,
    hash: ethers.utils.id(to),
    expires: Math.floor(Date.now() / 1000) + 3600,
    ...${JSON.stringify(fields)},
  });
  return { id, signers: signatures.map(({ approver }) => approver), number: Math.random() };
}`;

export type Approval = {
  id: string;
  state: string;
  summary: string;
  hash: Hex;
  account: Hex;
  usage_key_hash: Hex;
  cid: string;
  expires: number;
  signed_by: string[];
  run_id: string;
  continued_by: string | null;
  refused_by: string | null;
};
export type Ran = {
  response: { id: string; signers: string[]; number: number } | null;
  has_error: boolean;
  error?: { name: string; message: string };
  approval_id?: string;
};

export const newApprovers = (count: number): PrivateKeyAccount[] =>
  Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));

/** Runs the code, which must ask for an approval. */
export async function ask(
  usageKey: string,
  code: string,
  js_params: object = { to: 'alice' },
): Promise<Approval> {
  const { status, body } = await post('svc_action', { code, js_params }, usageKey);
  expect(status, JSON.stringify(body)).toBe(200);
  const { approval_id, error, has_error } = body as Ran;
  expect([has_error, error?.name]).toEqual([true, 'ApprovalRequiredError']);
  return readApproval(approval_id as string);
}

/** Runs the code, whose argument of requireApproval must be wrong. */
export async function expectTypeError(usageKey: string, code: string, message: string): Promise<void> {
  const { body } = await post('svc_action', { code, js_params: { to: 'alice' } }, usageKey);
  const { error, approval_id: id } = body as Ran;
  expect([error?.name, id]).toEqual(['TypeError', undefined]);
  expect(error?.message).toContain(message);
}

export async function readApproval(id: string): Promise<Approval> {
  const { status, body } = await get(`approval/${id}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Approval;
}

export const statementOf = ({
  summary,
  cid,
  hash,
  account,
  usage_key_hash,
  id,
  expires,
}: Approval): ApprovalStatement => ({
  summary,
  cid,
  hash,
  account: BigInt(account),
  usageKeyHash: BigInt(usage_key_hash),
  id,
  expires,
});

/** Signs a decision about the approval, with other values where `changes` has some. */
export const sign = (
  signer: PrivateKeyAccount,
  approval: Approval,
  changes: Partial<ApprovalStatement> = {},
  { decision = 'ApproveRun', of = deployment }: { decision?: ApprovalDecision; of?: typeof deployment } = {},
): Promise<Hex> =>
  signer.signTypedData(buildApproval(decision, { ...statementOf(approval), ...changes }, of));

export const send = (
  path: 'approve' | 'refuse_approval',
  id: string,
  approver: Address,
  signature: Hex,
): Promise<Reply> => post(path, { id, approver, signature });

/** Approves as each of these wallets. */
export async function approve(approval: Approval, ...signers: PrivateKeyAccount[]): Promise<void> {
  for (const signer of signers)
    expect(await send('approve', approval.id, signer.address, await sign(signer, approval))).toMatchObject({
      status: 200,
    });
}

export const goOn = (usageKey: string, id: string, headers?: Record<string, string>): Promise<Reply> =>
  call('POST', 'svc_action', { key: usageKey, body: { approval_id: id }, ...(headers && { headers }) });

export const hashOf = (text: string): Hex => keccak256(toHex(text));
