import { type Address, zeroAddress } from 'viem';
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { readContract } from './contract.ts';
import { type CallOptions, createDeadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { receiveEvents } from './events.ts';
import { type GetReplyOf, get, post, sendDelete } from './http.ts';
import type { Page } from './pages.ts';
import { readCredential } from './proof.ts';
import { readReceipt, type SignedReceipt } from './receipts.ts';
import { cidHash, usageKeyHash, word } from './values.ts';
import { defaultDeadline, type WriteOptions } from './write.ts';

/** A minute more than the longest run. */
const RUN_TIMEOUT_MS = 16 * 60_000;

/**
 * A ChainSecured client needs a usage key here, because a wallet is not one. An API client uses its own key by default.
 */
export type UsageKey<client extends BareClient, Key> = client extends ChainSecuredBareClient
  ? { usageKey: Key }
  : { usageKey?: Key | undefined };

/** The code to run. */
export type ActionSource =
  /** The code itself: it defines `main(params)`. */
  | { code: string; cid?: undefined }
  /** The CID, as text, of code that the relayer has, or that its gateway serves. */
  | { cid: string; code?: undefined };

export type RunActionParameters<client extends BareClient = BareClient> = ActionSource & {
  /** The parameters of `main`. */
  jsParams?: { [name: string]: unknown } | undefined;
} & UsageKey<client, string>;

/** A run that has ended. An error, a timeout and an exceeded limit are results too. */
export interface RunActionResult {
  /** The value that `main` returned or passed to `setResponse`, as JSON; null after an error, "" for no value. */
  response: unknown;
  logs: string;
  hasError: boolean;
  /** The error that ended the run. */
  error?: { name: string; message: string; stack: string } | undefined;
  /** Id of the run: of its record, and in the relayer's log. */
  runId: string;
  /** Price of the run in micro-credits. */
  costMicros: bigint;
  /** Undefined for a run that ended before its code began. */
  receipt?: SignedReceipt | undefined;
}

/** Returns the key, by default that of the client. Throws without one. */
function requireKey<Key extends string | bigint>(
  client: BareClient,
  usageKey: Key | undefined,
  call: 'runAction' | 'explainExecution',
): Key | string {
  const key = usageKey ?? client.internals.apiKey();
  if (key === undefined)
    throw new LatchkeyError('configuration', `${call} requires a usage key`, {
      fix:
        client.mode === 'api'
          ? 'Pass the text of the key as usageKey, or create the client with it as apiKey.'
          : 'Pass usageKey.',
    });
  return key;
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
  const { code, cid, jsParams, usageKey } = parameters as RunActionParameters;
  const { json, headers } = await post(client, '/core/v1/svc_action', {
    body: { code: code ?? null, ipfs_id: cid ?? null, js_params: jsParams ?? null },
    key: requireKey(client, usageKey, 'runAction'),
    idempotencyKey: options.idempotencyKey,
    seesOwnWrites: true,
    receiver: receiveRun(options),
    deadline: createDeadline(options, client.internals.runTimeoutMs ?? RUN_TIMEOUT_MS),
  });
  const { response, logs, has_error: hasError, error } = json;
  const runId = headers.get('x-run-id') ?? '';
  const costMicros = BigInt(headers.get('x-run-cost-micros') ?? 0);
  const signed = headers.get('x-run-receipt');
  const receipt = signed === null ? undefined : readReceipt(JSON.parse(atob(signed)));
  return { response, logs, hasError, error, runId, costMicros, receipt };
}

type WireRun = GetReplyOf<'/core/v1/list_runs'>[number];

/**
 * `failed`: ended by an error of the action, a limit, or a stop. `released`: the service could not finish it, and it cost
 * nothing.
 */
export type RunStatus = GetReplyOf<'/core/v1/list_runs'>[number]['status'];

/** The output of a run. */
export type RunOutput = Pick<RunActionResult, 'response' | 'logs' | 'error'>;

/** The record of a run. It never has code, parameters or keys. */
export interface RunRecord {
  id: string;
  /** Hash of the usage key that ran it. */
  usageKeyHash: bigint;
  /** CID of the code. */
  cid?: string | undefined;
  status: RunStatus;
  /** Name of the error of a failed run. */
  errorName?: string | undefined;
  startedAt: Date;
  endedAt?: Date | undefined;
  /** Wall time. */
  durationMs?: number | undefined;
  /** Processor time, in steps of 10 ms. */
  cpuMs?: number | undefined;
  /** Highest memory of the action, read every 20 ms. */
  memoryPeakBytes?: number | undefined;
  /** Price in micro-credits. */
  chargedMicros?: bigint | undefined;
  /** The key functions that returned, in their order. Empty before the end. */
  keyOperations: WireRun['key_operations'];
  /** Hosts to which `fetch` sent requests. Empty before the end. */
  fetchHosts: string[];
  receipt?: SignedReceipt | undefined;
  /** Only from {@link getRun} with the account key or the admin wallet, when `setUsageApiKeyRecording` was on. */
  output?: RunOutput | undefined;
}

const toRecord = (run: WireRun): RunRecord => ({
  id: run.id,
  usageKeyHash: BigInt(run.usage_key_hash),
  cid: run.cid ?? undefined,
  status: run.status,
  errorName: run.error_name ?? undefined,
  startedAt: new Date(run.started_at),
  endedAt: run.ended_at === null ? undefined : new Date(run.ended_at),
  durationMs: run.duration_ms ?? undefined,
  cpuMs: run.cpu_ms ?? undefined,
  memoryPeakBytes: run.memory_peak_bytes ?? undefined,
  chargedMicros: run.charged_micros === null ? undefined : BigInt(run.charged_micros),
  keyOperations: run.key_operations,
  fetchHosts: run.fetch_hosts,
  receipt: run.receipt === null ? undefined : readReceipt(run.receipt),
});

/** A run must match all of them. */
export interface ListRunsParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a run: lists those that began before it. */
  before?: string | undefined;
  /** The usage key that ran it, or its hash. */
  usageKey?: string | bigint | undefined;
  /** The CID of the code, as text. */
  cid?: string | undefined;
  status?: RunStatus | undefined;
  errorName?: string | undefined;
  /** Runs that began at this time or later. */
  from?: Date | undefined;
  /** Runs that began before this time. */
  to?: Date | undefined;
}

/**
 * Lists the records of runs, newest first: those of the account, or with a usage key its own. A page after the last full one can
 * be empty.
 */
export async function listRuns(
  client: BareClient,
  parameters: ListRunsParameters = {},
  options?: CallOptions,
): Promise<Page<RunRecord, ListRunsParameters>> {
  const { pageSize = 100, before, usageKey, cid, status, errorName, from, to } = parameters;
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/list_runs', {
    query: {
      page_size: pageSize,
      before,
      usage_key_hash: usageKey === undefined ? undefined : word(usageKeyHash(usageKey)),
      cid,
      status,
      error_name: errorName,
      from: from?.toISOString(),
      to: to?.toISOString(),
    },
    ...(await readCredential(client, deadline)),
    deadline,
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toRecord), nextPage: last && { ...parameters, before: last.id } };
}

export interface RunParameters {
  runId: string;
}

/** Returns the record of a run. */
export async function getRun(
  client: BareClient,
  { runId }: RunParameters,
  options?: CallOptions,
): Promise<RunRecord> {
  const deadline = defaultDeadline(client, options);
  const credential = await readCredential(client, deadline);
  const { json } = await get(client, '/core/v1/run/{id}', { params: { id: runId }, ...credential, deadline });
  return { ...toRecord(json), output: json.output ?? undefined };
}

/**
 * Stops a run: it ends with `StoppedError` and is charged for the seconds that it used. Returns its record. A run that has
 * ended stays as it is.
 */
export async function stopRun(
  client: BareClient,
  { runId }: RunParameters,
  options?: CallOptions,
): Promise<RunRecord> {
  const deadline = defaultDeadline(client, options);
  const credential = await readCredential(client, deadline);
  const { json } = await sendDelete(client, '/core/v1/run/{id}', {
    params: { id: runId },
    ...credential,
    deadline,
  });
  return toRecord(json);
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

export type ExplainExecutionParameters<client extends BareClient = BareClient> = {
  /** The CID, or its hash from a list. */
  cid: string | bigint;
  /** Includes this wallet. */
  pkpId?: Address | undefined;
} & UsageKey<client, string | bigint>;

/** The rule of the contract's `ExecutionRule` that decides. */
export type ExecutionRule = GetReplyOf<'/core/v1/explain_execution'>['action']['rule'];

/** A decision with its reason. */
export interface Verdict {
  permitted: boolean;
  rule: ExecutionRule;
  /** The lowest group that permits it; 0 when no group does. */
  groupId: bigint;
}

export interface ExplainExecutionResult {
  /** Whether the usage key is permitted to run the action. */
  action: Verdict;
  /** Whether the action, run by that key, is permitted to use the wallet. Absent without `pkpId`. */
  wallet?: Verdict;
}

/** In the order of the contract's enum. */
const rules: readonly ExecutionRule[] = [
  'key_unknown',
  'not_usage_key',
  'key_expired',
  'wildcard',
  'group',
  'no_group_permits_action',
  'wallet_unknown',
  'no_group_permits_wallet',
];

/**
 * Explains whether a usage key is permitted to run an action and use a wallet in it, and which rule decides. An account key
 * asks about one of its usage keys by its hash. ChainSecured mode asks the contract itself, by the key or its hash.
 */
export async function explainExecution<client extends BareClient>(
  client: client,
  parameters: ExplainExecutionParameters<client>,
  options?: CallOptions,
): Promise<ExplainExecutionResult> {
  const { cid, pkpId, usageKey } = parameters as ExplainExecutionParameters;
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured') {
    const key = requireKey(client, usageKey, 'explainExecution');
    const found = await readContract(
      client,
      'explainExecution',
      [usageKeyHash(key), cidHash(cid), pkpId ?? zeroAddress],
      deadline,
    );
    const verdict = (permitted: boolean, rule: number, groupId: bigint): Verdict => ({
      permitted,
      rule: rules[rule] as ExecutionRule,
      groupId,
    });
    return {
      action: verdict(found.canExecute, found.actionRule, found.actionGroupId),
      ...(pkpId && { wallet: verdict(found.canUseWallet, found.walletRule, found.walletGroupId) }),
    };
  }
  const { json } = await get(client, '/core/v1/explain_execution', {
    query: {
      ...(typeof cid === 'string' ? { cid } : { hashed_cid: word(cid) }),
      pkp_id: pkpId,
      usage_api_key: typeof usageKey === 'bigint' ? word(usageKey) : undefined,
    },
    key: requireKey(client, typeof usageKey === 'bigint' ? undefined : usageKey, 'explainExecution'),
    seesOwnWrites: true,
    deadline,
  });
  const verdict = ({ permitted, rule, group_id }: (typeof json)['action']): Verdict => ({
    permitted,
    rule,
    groupId: BigInt(group_id),
  });
  return { action: verdict(json.action), ...(json.wallet && { wallet: verdict(json.wallet) }) };
}
