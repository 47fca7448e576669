/** Approvals of runs. */
import {
  type ApprovalDecision,
  type ApprovalDeployment,
  type ApprovalStatement,
  approvalDigest,
  buildApproval,
} from '@latchkey/protocol';
import { type Address, type Hex, hexToBytes } from 'viem';
import { signTypedData } from 'viem/actions';
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient, Wallet } from './bare-client.ts';
import { loadContract, onChain } from './contract.ts';
import { type CallOptions, type Deadline, defaultDeadline, unlessAborted } from './deadline.ts';
import { LatchkeyError, SignatureRejectedError } from './errors.ts';
import { type GetReplyOf, get, post } from './http.ts';
import type { Page } from './pages.ts';
import type { WriteOptions } from './write-definition.ts';

type WireApproval = GetReplyOf<'/core/v1/list_approvals'>[number];

/**
 * `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by one of its approvers.
 * `expired`: also one that the account ended.
 */
export type ApprovalState = GetReplyOf<'/core/v1/list_approvals'>[number]['state'];

/** An approval that a run asked for. */
export interface Approval {
  id: string;
  state: ApprovalState;
  /** Text of the action about what it will do. A hostile action can say anything: trust it as far as you trust the CID. */
  summary: string;
  /** Identifies what the action will do, as its code defines it. */
  hash: Hex;
  /** Master hash of the account. */
  account: bigint;
  usageKeyHash: bigint;
  /** CID of the action. */
  cid: string;
  approvers: Address[];
  /** Contract wallets. */
  contractApprovers: Address[];
  /** Public keys of passkeys. */
  passkeyApprovers: Hex[];
  /** Domain of the pages for which the passkeys were made. */
  passkeyRpId?: string | undefined;
  /** Number of approvers that must sign. */
  threshold: number;
  expiresAt: Date;
  /** Addresses, and public keys of passkeys. */
  signedBy: Hex[];
  refusedBy?: Hex | undefined;
  createdAt: Date;
  /** The run that asked. */
  runId: string;
  /** The run that went on. */
  continuedBy?: string | undefined;
}

const toApproval = (wire: WireApproval): Approval => ({
  id: wire.id,
  state: wire.state,
  summary: wire.summary,
  hash: wire.hash as Hex,
  account: BigInt(wire.account),
  usageKeyHash: BigInt(wire.usage_key_hash),
  cid: wire.cid,
  approvers: wire.approvers as Address[],
  contractApprovers: wire.contract_approvers as Address[],
  passkeyApprovers: wire.passkey_approvers as Hex[],
  passkeyRpId: wire.passkey_rp_id ?? undefined,
  threshold: wire.threshold,
  expiresAt: new Date(wire.expires * 1_000),
  signedBy: wire.signed_by as Hex[],
  refusedBy: (wire.refused_by ?? undefined) as Hex | undefined,
  createdAt: new Date(wire.created_at),
  runId: wire.run_id,
  continuedBy: wire.continued_by ?? undefined,
});

export interface ListApprovalsParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of an approval: lists older ones. */
  before?: string | undefined;
}

/** Lists approvals, newest first: of the account, or with a usage key of its own runs. */
export async function listApprovals(
  client: BareClient,
  parameters: ListApprovalsParameters = {},
  options?: CallOptions,
): Promise<Page<Approval, ListApprovalsParameters>> {
  const { pageSize = 100, before } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/list_approvals', {
    query: { page_size: pageSize, before },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toApproval), nextPage: last && { ...parameters, before: last.id } };
}

/** Returns an approval. Needs no key: its id is the secret of its approvers. */
export async function getApproval(
  client: BareClient,
  { approvalId }: { approvalId: string },
  options?: CallOptions,
): Promise<Approval> {
  const { json } = await get(client, '/core/v1/approval/{id}', {
    params: { id: approvalId },
    deadline: defaultDeadline(client, options),
  });
  return toApproval(json);
}

/** Ends an open approval: it has expired then, and its run does not go on. Only the account key and the admin wallet can. */
export async function cancelApproval(
  client: BareClient,
  { approvalId }: { approvalId: string },
  options: WriteOptions = {},
): Promise<Approval> {
  const { json } = await postAsOwner(client, options, '/core/v1/cancel_approval', { id: approvalId });
  return toApproval(json);
}

/** A request to a passkey: the part `publicKey` of the options of `navigator.credentials.get`. */
export interface PasskeyRequest {
  /** The digest that the passkey signs. */
  challenge: Uint8Array<ArrayBuffer>;
  rpId: string;
  userVerification: 'required';
}

export type DecideParameters = {
  /** The approval as it was shown to the approver, who signs exactly this. */
  approval: Approval;
} & (
  | {
      /** The wallet of the approver. */
      wallet: Wallet;
      passkey?: undefined;
    }
  | {
      /**
       * Asks a passkey of the approver: `(publicKey) => navigator.credentials.get({ publicKey })` on a page of `passkeyRpId`. A passkey shows
       * nothing of what it signs.
       */
      passkey: (request: PasskeyRequest) => Promise<object | null>;
      wallet?: undefined;
    }
);

/** Has an approver sign the approval. */
export const approveRun = (
  client: BareClient,
  parameters: DecideParameters,
  options?: CallOptions,
): Promise<Approval> => decide(client, 'ApproveRun', '/core/v1/approve', parameters, options);

/** Has an approver sign that the run does not go on, which ends the approval for all. */
export const refuseRun = (
  client: BareClient,
  parameters: DecideParameters,
  options?: CallOptions,
): Promise<Approval> => decide(client, 'RefuseRun', '/core/v1/refuse_approval', parameters, options);

async function decide(
  client: BareClient,
  decision: ApprovalDecision,
  path: '/core/v1/approve' | '/core/v1/refuse_approval',
  { approval, wallet, passkey }: DecideParameters,
  options: CallOptions | undefined,
): Promise<Approval> {
  const deadline = defaultDeadline(client, options);
  const { address: contractAddress, chainId } = await loadContract(client, deadline);
  const statement = { ...approval, expires: approval.expiresAt.getTime() / 1_000 };
  const asked = { decision, statement, deployment: { chainId, contractAddress } };
  const signed = await (wallet
    ? signWithWallet(wallet, asked, deadline)
    : signWithPasskey(passkey, approval, asked, deadline));
  const { json } = await post(client, path, { body: { id: approval.id, ...signed }, deadline });
  return toApproval(json);
}

type Asked = { decision: ApprovalDecision; statement: ApprovalStatement; deployment: ApprovalDeployment };
type Signed = { approver: Hex; signature: Hex };

async function signWithWallet(
  wallet: Wallet,
  { decision, statement, deployment }: Asked,
  deadline: Deadline,
): Promise<Signed> {
  const typedData = buildApproval(decision, statement, deployment);
  const { account } = wallet;
  const signature = await onChain(() => signTypedData(wallet, { account, ...typedData } as never), deadline);
  return { approver: account.address, signature };
}

async function signWithPasskey(
  ask: (request: PasskeyRequest) => Promise<object | null>,
  { passkeyApprovers, passkeyRpId: rpId }: Approval,
  { decision, statement, deployment }: Asked,
  deadline: Deadline,
): Promise<Signed> {
  if (rpId === undefined)
    throw new LatchkeyError('configuration', 'the approval has no passkey among its approvers');
  const digest = approvalDigest(decision, statement, deployment);
  const challenge = new Uint8Array(hexToBytes(digest));
  const asked = ask({ challenge, rpId, userVerification: 'required' }).catch((cause: unknown) => {
    throw passkeyError(cause);
  });
  const credential = (await unlessAborted(asked, deadline)) as { response: PasskeyResponse } | null;
  if (!credential) throw passkeyError(undefined);
  // Loaded when it is needed: it has a curve.
  const { encodeAssertion, findPasskeyFault } = await import('@latchkey/protocol/passkey');
  const { response } = credential;
  const signature = encodeAssertion({
    authenticatorData: new Uint8Array(response.authenticatorData),
    clientDataJSON: new Uint8Array(response.clientDataJSON),
    signature: new Uint8Array(response.signature),
  });
  // An assertion does not name the public key.
  const faults = passkeyApprovers.map((publicKey) =>
    findPasskeyFault(digest, { publicKey, rpId }, signature),
  );
  const approver = passkeyApprovers[faults.indexOf(undefined)];
  if (approver === undefined)
    throw new LatchkeyError(
      'forbidden',
      `no passkey among the approvers has signed: ${faults[0] ?? 'there is none'}`,
    );
  return { approver, signature };
}

type PasskeyResponse = Record<'authenticatorData' | 'clientDataJSON' | 'signature', ArrayBuffer>;

/** Browsers reject with NotAllowedError when the user cancels, and when no passkey of the domain is there. */
const passkeyError = (cause: unknown): LatchkeyError =>
  cause === undefined || (cause as Error).name === 'NotAllowedError'
    ? new SignatureRejectedError({ cause }, 'no passkey has signed')
    : new LatchkeyError('configuration', `the passkey cannot be asked: ${(cause as Error).message}`, {
        cause,
      });
