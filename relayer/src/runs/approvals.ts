/** Approvals of runs: opened by a run that needs one, signed by approvers, used by the run that goes on. */
import { randomUUID } from 'node:crypto';
import { badRequest, conflict, forbidden, notFound, tooManyRequests } from '@latchkey/http';
import {
  type ApprovalDecision,
  type ApprovalDeployment,
  approvalDigest,
  recoverSigner,
  signatureBytes,
} from '@latchkey/protocol';
import { findPasskeyFault } from '@latchkey/protocol/passkey';
import {
  type ApprovalProof,
  failedResult,
  LONGEST_APPROVAL_SEC,
  MAX_PROOFS,
  type RunResult,
  toRunError,
} from '@latchkey/runner-protocol';
import type { Sealer } from '@latchkey/service/sealer';
import type { Hex } from 'viem';
import { isOpenRun } from '../billing/run-rows.ts';
import type { AccountConfig } from '../chain/account-config.ts';
import type { StoredRequest } from '../db/approval-schema.ts';
import {
  type ApprovalRecord,
  addSignature,
  claimApproval,
  findApproval,
  findWithInput,
  insertApproval,
  refuseApproval,
  releaseApproval,
  type Signed,
  stateOf,
} from '../db/approvals.ts';
import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';

/** Open approvals, so that their inputs together stay small, and one usage key leaves others a part. */
const MAX_OPEN = { account: 100, usageKey: 25 };
const owners = { account: 'account', usageKey: 'usage key' };
/** After which a client asks again whether a run can go on. */
const LOOK_AGAIN_SEC = 5;
/** By which the clock of a runner can be ahead. */
const MAX_SKEW_SEC = 60;
const MAX_PARAMS_BYTES = 64 * 1024;
/** Of the earlier approvals of a run, as JSON. Signatures of contract wallets are long. */
const MAX_PROOFS_BYTES = 256 * 1024;

/** The part of a run, besides its code, with which it goes on. */
type Input = {
  /** JSON of the parameters of `main`. */
  params: string;
  /** As the request named them. */
  fields: { timeout_ms?: number | null | undefined; concurrency_key?: string | null | undefined };
  /** Earlier approvals of the run. */
  proofs: ApprovalProof[];
};

/** A run that asked for an approval and has it. */
export type Continued = Input & {
  id: string;
  cid: string;
  /** The input as it is stored. */
  sealed: string;
};

type OpenedBy = Input & { runId: string; account: bigint; key: bigint; cid: string };

export type Approvals = {
  deployment: ApprovalDeployment;
  /** Stores the approval that the result asks for. Resolves to the result with its id, or with an `ApprovalLimitError`. */
  open: (result: RunResult, run: OpenedBy) => Promise<RunResult>;
  /** Resolves to undefined for an unknown approval. */
  find: (id: string) => Promise<ApprovalRecord | undefined>;
  /** Resolves to the run that goes on. Rejects with 404 for another usage key, with 429 while another run has it, and with 409 for an approval that is not approved or was used. */
  findContinued: (id: string, key: bigint) => Promise<Continued>;
  /** Gives the approval to a run, at most once. Rejects with 409 or 429. */
  claim: (continued: Continued, runId: string) => Promise<void>;
  /** Takes the approval back from a run whose code did not begin. */
  release: (continued: Continued, runId: string) => Promise<void>;
  /** Stores the decision of an approver. Rejects with 400, 403 or 409. */
  decide: (decision: ApprovalDecision, signed: Signed) => Promise<ApprovalRecord | undefined>;
};

type Needs = {
  db: Database;
  sealer: Sealer;
  contract: Pick<AccountConfig, 'address' | 'chainId' | 'read'>;
};

const inputContext = (id: string) => `approval ${id}`;

export function createApprovals({ db, sealer, contract }: Needs): Approvals {
  const deployment = { chainId: contract.chainId, contractAddress: contract.address };
  return {
    deployment,
    find: (id) => findApproval(db, id),
    async open(result, { runId, account, key, cid, ...input }) {
      const { approval: request, error, logs, durationMs, usage } = result;
      if (!request || !error) return result;
      const refuse = (message: string): RunResult =>
        failedResult(toRunError('ApprovalLimitError', message), logs, durationMs, usage);
      const excess = excessOf(input, request.expires);
      if (excess) return refuse(excess);
      const id = randomUUID();
      const approval = {
        id,
        account: hashText(account),
        key: hashText(key),
        cid,
        runId,
        request,
        expiresAt: new Date(request.expires * 1_000),
        input: sealer.seal(JSON.stringify(input), inputContext(id)),
      };
      const full = await insertApproval(db, approval, MAX_OPEN);
      if (full) return refuse(`the ${owners[full]} has ${MAX_OPEN[full]} runs that wait for an approval`);
      const message = `the run waits for the approval ${id}: send it as approval_id once it is approved`;
      return { ...result, approvalId: id, error: toRunError(error.name, message) };
    },
    async findContinued(id, key) {
      const found = await findWithInput(db, id);
      if (found?.key !== hashText(key))
        throw notFound('There is no such approval of this usage key.', {
          fix: 'Find its approvals with list_approvals and this usage key.',
        });
      if (stateOf(found) !== 'approved' || found.input === null) throw await refusalOf(db, found);
      const input = JSON.parse(sealer.openText(found.input, inputContext(id))) as Input;
      const proofs = [...input.proofs, proofOf(found)];
      return { ...input, proofs, id, cid: found.cid, sealed: found.input };
    },
    async claim({ id }, runId) {
      if (await claimApproval(db, id, runId)) return;
      throw await refusalOf(db, await findApproval(db, id));
    },
    release: ({ id, sealed }, runId) => releaseApproval(db, id, runId, sealed),
    async decide(decision, signed) {
      const found = await findApproval(db, signed.id);
      if (!found) return undefined;
      await requireSignature({ contract, deployment }, decision, found, signed);
      const isRefusal = decision === 'RefuseRun';
      await (isRefusal ? refuseApproval(db, signed) : addSignature(db, signed));
      const decided = await findApproval(db, signed.id);
      const isStored = isRefusal
        ? decided?.refusedBy === signed.approver
        : decided?.signedBy.includes(signed.approver);
      if (!isStored)
        throw conflict(`The approval is ${stateOf(decided ?? found)}: it can no longer be decided.`);
      return decided;
    },
  };
}

/** Returns why the input is too long to be kept, or would be kept for too long. */
function excessOf({ params, proofs }: Input, expires: number): string | undefined {
  // The runner refuses such a time, unless it is under the control of an attacker.
  if (expires > Date.now() / 1_000 + LONGEST_APPROVAL_SEC + MAX_SKEW_SEC)
    return `expires is more than ${LONGEST_APPROVAL_SEC} seconds from now`;
  if (Buffer.byteLength(params) > MAX_PARAMS_BYTES)
    return `the parameters of a run that needs an approval can have ${MAX_PARAMS_BYTES} bytes`;
  if (proofs.length === MAX_PROOFS)
    return `the run needs more than ${MAX_PROOFS} approvals, one after another`;
  if (Buffer.byteLength(JSON.stringify(proofs)) > MAX_PROOFS_BYTES)
    return `the earlier approvals of the run have more than ${MAX_PROOFS_BYTES} bytes together`;
  return undefined;
}

async function refusalOf(db: Database, found: ApprovalRecord | undefined): Promise<Error> {
  const state = found ? stateOf(found) : 'expired';
  // Its run can give it back.
  if (found?.usedBy != null && (await isOpenRun(db, found.usedBy)))
    return tooManyRequests('A run that has this approval has not ended.', LOOK_AGAIN_SEC);
  const fixes: Record<string, string> = {
    waiting: 'Wait until enough approvers have signed.',
    used: 'A run goes on once. Run the action again to ask for another approval.',
  };
  const fix = fixes[state] ?? 'Run the action again to ask for another approval.';
  return conflict(`The approval is ${state}.`, {
    fix,
    // A client can send the same request again.
    ...(state === 'waiting' && { retryAfterSec: LOOK_AGAIN_SEC }),
  });
}

type Signatures = Record<Hex, Hex>;
const proofOf = ({
  id,
  request,
  signatures,
}: ApprovalRecord & { signatures: Signatures }): ApprovalProof => ({
  id,
  expires: request.expires,
  signatures: Object.entries(signatures).map(([approver, signature]) => ({
    approver: approver as Hex,
    signature,
  })),
});

type Source = { contract: Pick<AccountConfig, 'read'>; deployment: ApprovalDeployment };

/** Rejects unless an approver signed this decision about this approval. */
async function requireSignature(
  { contract, deployment }: Source,
  decision: ApprovalDecision,
  { request, account, key, ...row }: ApprovalRecord,
  signed: Signed,
): Promise<void> {
  const { approver } = signed;
  const { summary, hash, expires } = request;
  const statement = { ...row, summary, hash, expires, account: BigInt(account), usageKeyHash: BigInt(key) };
  const digest = approvalDigest(decision, statement, deployment);
  const fault = await findFault(contract, digest, request, signed);
  if (fault !== undefined)
    throw badRequest(`The signature is not that of ${approver} over this approval${fault}.`, {
      fix: `Sign the typed data ${decision} of this approval for this chain and contract.`,
    });
}

/** Resolves to why the signature does not hold, which can be empty; to undefined when it holds. Rejects with 403 for another signer. */
async function findFault(
  contract: Source['contract'],
  digest: Hex,
  { approvers, contractApprovers, passkeyApprovers = [], passkeyRpId: rpId = '' }: StoredRequest,
  { approver, signature }: Signed,
): Promise<string | undefined> {
  if (passkeyApprovers.includes(approver)) {
    const fault = findPasskeyFault(digest, { publicKey: approver, rpId }, signature);
    return fault && `: ${fault}`;
  }
  const isContract = contractApprovers.includes(approver);
  if (!isContract && !approvers.includes(approver))
    throw forbidden(`${approver} is not an approver of this run.`, {
      fix: 'GET approval/:id lists its approvers: sign with one of them.',
    });
  const bytes = signatureBytes(signature);
  const isValid =
    bytes !== undefined &&
    (isContract
      ? await contract.read('isValidWalletSignature', [approver, digest, signature])
      : recoverSigner(digest, bytes) === approver);
  return isValid ? undefined : '';
}
