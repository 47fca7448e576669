import type { Address, Hex } from 'viem';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, createDeadline, defaultDeadline } from './deadline.ts';
import { receiveEvents } from './events.ts';
import { type BodyOf, post } from './http.ts';
import { readReceipt, type SignedReceipt } from './receipts.ts';
import { requireKey, type UsageKey } from './run-key.ts';
import type { WriteOptions } from './write-definition.ts';

/** A minute more than the longest run. */
const RUN_TIMEOUT_MS = 16 * 60_000;

/** The code to run. */
export type ActionSource =
  /** The code itself: it defines `main(params)`. */
  | { code: string; cid?: undefined }
  /** The CID, as text, of code that the relayer has, or that its gateway serves. */
  | { cid: string; code?: undefined };

export type RunActionParameters<client extends BareClient = BareClient> = ActionSource & {
  /** The parameters of `main`. */
  jsParams?: { [name: string]: unknown } | undefined;
  /** Longest run, in milliseconds. The limits of the service and of the usage key apply as well. */
  timeoutMs?: number | undefined;
  /** Runs of the account with the same text run one after another, those of triggers included: for example the address of a wallet. */
  concurrencyKey?: string | undefined;
} & UsageKey<client, string>;

/** A run that has ended. An error, a timeout and an exceeded limit are results too. */
export interface RunActionResult {
  /** The value that `main` returned or passed to `setResponse`, as JSON; null after an error, "" for no value. */
  response: unknown;
  logs: string;
  hasError: boolean;
  /** The error that ended the run. */
  error?: { name: string; message: string; stack: string } | undefined;
  /** The approval that the run asked for, when it ended with `ApprovalRequiredError`: {@link continueRun} goes on once it is approved. */
  approvalId?: string | undefined;
  /** Id of the run: of its record, and in the relayer's log. */
  runId: string;
  /** Price of the run in micro-credits. */
  costMicros: bigint;
  /** Undefined for a run that ended before its code began. */
  receipt?: SignedReceipt | undefined;
}

/** The code of a run has begun. */
export interface RunStart {
  runId: string;
  /** CID of the code. */
  cid: string;
}

/**
 * With `onStart` or `onLog` the reply is streamed. When its connection is lost, the result still arrives, but `onLog` is
 * not called with the rest of the output.
 */
export interface RunActionOptions extends WriteOptions {
  /** Called when the code begins. */
  onStart?: ((start: RunStart) => void) | undefined;
  /** Called with the console output as it comes: some lines, with their line ends. */
  onLog?: ((text: string) => void) | undefined;
}

/** Returns the receiver of the events of a run. */
function receiveRun({ onStart, onLog }: RunActionOptions) {
  if (!onStart && !onLog) return undefined;
  return receiveEvents((name, data) => {
    if (name === 'log') onLog?.((data as { text: string }).text);
    if (name !== 'run') return;
    const { run_id: runId, cid } = data as { run_id: string; cid: string };
    onStart?.({ runId, cid });
  });
}

/**
 * Runs an action with a usage key. The run sees every write of this client. A retry after a lost reply does not run it
 * again.
 */
export async function runAction<client extends BareClient>(
  client: client,
  parameters: RunActionParameters<client>,
  options: RunActionOptions = {},
): Promise<RunActionResult> {
  const { code, cid, jsParams, timeoutMs, concurrencyKey, usageKey } = parameters as RunActionParameters;
  const body = {
    code: code ?? null,
    ipfs_id: cid ?? null,
    js_params: jsParams ?? null,
    timeout_ms: timeoutMs ?? null,
    concurrency_key: concurrencyKey ?? null,
  };
  return postRun(client, body, requireKey(client, usageKey, 'runAction'), options);
}

export type ContinueRunParameters<client extends BareClient = BareClient> = {
  approvalId: string;
  /** The code of the run, when the relayer no longer has it. */
  code?: string | undefined;
} & UsageKey<client, string>;

/**
 * Goes on with a run whose approval is approved: the same action with the same parameters, from its start, at most once. Needs the usage
 * key of the run. Rejects with an HTTP error 409 when the approval is not approved, or was used; 429 while another run has it.
 */
export async function continueRun<client extends BareClient>(
  client: client,
  parameters: ContinueRunParameters<client>,
  options: RunActionOptions = {},
): Promise<RunActionResult> {
  const { approvalId, code, usageKey } = parameters as ContinueRunParameters;
  const body = { approval_id: approvalId, code: code ?? null };
  return postRun(client, body, requireKey(client, usageKey, 'continueRun'), options);
}

async function postRun(
  client: BareClient,
  body: BodyOf<'/core/v1/svc_action'>,
  key: string,
  options: RunActionOptions,
): Promise<RunActionResult> {
  const { json, headers } = await post(client, '/core/v1/svc_action', {
    body,
    key,
    idempotencyKey: options.idempotencyKey,
    seesOwnWrites: true,
    receiver: receiveRun(options),
    deadline: createDeadline(options, client.internals.runTimeoutMs ?? RUN_TIMEOUT_MS),
  });
  const { response, logs, has_error: hasError, error, approval_id: approvalId } = json;
  const runId = headers.get('x-run-id') ?? '';
  const costMicros = BigInt(headers.get('x-run-cost-micros') ?? 0);
  const signed = headers.get('x-run-receipt');
  const receipt = signed === null ? undefined : readReceipt(JSON.parse(atob(signed)));
  return { response, logs, hasError, error, approvalId, runId, costMicros, receipt };
}

export type SendTransactionParameters<client extends BareClient = BareClient> = {
  /** Address of the wallet. */
  pkpId: Address;
  chainId: number;
  /** Null creates a contract with the code in `data`. */
  to: Address | null;
  /** In wei. Default: 0. */
  value?: bigint | undefined;
  data?: Hex | undefined;
  /** Default: the estimate, with headroom. */
  gas?: bigint | undefined;
  /** In wei; the highest that the wallet pays, also when the fee is raised. */
  maxFeePerGas?: bigint | undefined;
} & UsageKey<client, string>;

/** A transaction that the service has broadcast. */
export interface SentTransaction {
  /** Id of the transaction at the service, which also has it when its fee was raised. */
  id: string;
  hash: Hex;
  nonce: number;
}

/**
 * Sends a transaction of a wallet with a usage key that may run the standard action `send transaction` with it. Resolves when it is
 * broadcast. A retry after a lost reply, and a call with the same `idempotencyKey`, send it once.
 */
export async function sendTransaction<client extends BareClient>(
  client: client,
  parameters: SendTransactionParameters<client>,
  options: WriteOptions = {},
): Promise<SentTransaction> {
  const { pkpId, chainId, to, value, data, gas, maxFeePerGas, usageKey } =
    parameters as SendTransactionParameters;
  const { json } = await post(client, '/core/v1/send_transaction', {
    body: {
      pkp_id: pkpId,
      chain_id: chainId,
      to,
      value: value?.toString() ?? null,
      data: data ?? null,
      gas: gas?.toString() ?? null,
      max_fee_per_gas: maxFeePerGas?.toString() ?? null,
    },
    key: requireKey(client, usageKey, 'sendTransaction'),
    idempotencyKey: options.idempotencyKey,
    seesOwnWrites: true,
    deadline: createDeadline(options, client.internals.runTimeoutMs ?? RUN_TIMEOUT_MS),
  });
  return { id: json.id, hash: json.hash as Hex, nonce: json.nonce };
}

/** Returns the CID of action code, computed by the relayer. */
export async function getSvcActionIpfsId(
  client: BareClient,
  parameters: { code: string },
  options?: CallOptions,
): Promise<string> {
  const { json } = await post(client, '/core/v1/get_svc_action_ipfs_id', {
    body: parameters.code,
    deadline: defaultDeadline(client, options),
  });
  return json;
}
