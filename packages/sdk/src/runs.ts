import { type Address, zeroAddress } from 'viem';
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { readContract } from './contract.ts';
import { type CallOptions, createDeadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { type GetReplyOf, get, post } from './http.ts';
import { actionHash, usageKeyHash, word } from './values.ts';
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
  | { code: string; ipfsId?: undefined }
  /** The CID of code that the relayer has, or that its gateway serves. */
  | { ipfsId: string; code?: undefined };

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
  /** Id of the run in the relayer's log. */
  runId: string;
  /** Price of the run in micro-credits. */
  costMicros: bigint;
}

function requireKey(client: BareClient, usageKey: string | undefined): string {
  const key = usageKey ?? client.internals.apiKey();
  if (key === undefined) throw new LatchkeyError('configuration', 'usageKey is required to run an action');
  return key;
}

/**
 * Runs an action with a usage key. The run sees every write of this client. A retry after a lost reply does not run it
 * again.
 */
export async function runAction<client extends BareClient>(
  client: client,
  parameters: RunActionParameters<client>,
  options: WriteOptions = {},
): Promise<RunActionResult> {
  const { code, ipfsId, jsParams, usageKey } = parameters as RunActionParameters;
  const { json, headers } = await post(client, '/core/v1/svc_action', {
    body: { code: code ?? null, ipfs_id: ipfsId ?? null, js_params: jsParams ?? null },
    key: requireKey(client, usageKey),
    idempotencyKey: options.idempotencyKey,
    seesOwnWrites: true,
    deadline: createDeadline(options, client.internals.timeoutMs ?? RUN_TIMEOUT_MS),
  });
  const { response, logs, has_error: hasError, error } = json;
  const runId = headers.get('x-run-id') ?? '';
  const costMicros = BigInt(headers.get('x-run-cost-micros') ?? 0);
  return { response, logs, hasError, error, runId, costMicros };
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

export type ExplainExecutionParameters<client extends BareClient = BareClient> = (
  | { cid: string; hashedCid?: undefined }
  | { hashedCid: bigint; cid?: undefined }
) & {
  /** Includes this wallet. */
  pkpId?: Address | undefined;
} & UsageKey<client, client extends ChainSecuredBareClient ? string | bigint : string>;

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
 * Explains whether a usage key is permitted to run an action and use a wallet in it, and which rule decides.
 * ChainSecured mode asks the contract itself, and accepts the hash of a key too.
 */
export async function explainExecution<client extends BareClient>(
  client: client,
  parameters: ExplainExecutionParameters<client>,
  options?: CallOptions,
): Promise<ExplainExecutionResult> {
  const { cid, hashedCid, pkpId, usageKey } =
    parameters as ExplainExecutionParameters<ChainSecuredBareClient>;
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured') {
    const hash = cid === undefined ? hashedCid : actionHash(cid);
    const found = await readContract(
      client,
      'explainExecution',
      [usageKeyHash(usageKey), hash, pkpId ?? zeroAddress],
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
    query: { cid, hashed_cid: hashedCid === undefined ? undefined : word(hashedCid), pkp_id: pkpId },
    key: requireKey(client, usageKey as string | undefined),
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
