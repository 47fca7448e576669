/** Explains permissions. */
import { type Address, zeroAddress } from 'viem';
import type { BareClient } from './bare-client.ts';
import { readContract } from './contract.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { type GetReplyOf, get } from './http.ts';
import { requireKey, type UsageKey } from './run-key.ts';
import { cidHash, usageKeyHash, word } from './values.ts';

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
