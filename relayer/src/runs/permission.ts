/** The contract's decision whether a usage key may run an action, and its explanation. */
import { forbidden } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import { zeroAddress } from 'viem';
import { expiredKey, unknownKey } from '../auth/key-refusals.ts';
import type { AccountConfig } from '../chain/account-config.ts';

/** The contract's `ExecutionRule`, in its order, with an explanation for the caller. */
const rules = {
  key_unknown: 'The key is unknown.',
  not_usage_key: 'Account keys cannot run actions.',
  key_expired: 'The usage key has expired.',
  wildcard: 'The usage key is permitted to run every action: execute_in_groups contains 0.',
  group: 'A group in execute_in_groups permits it.',
  no_group_permits_action:
    'No group in execute_in_groups permits the action: add the action to one of them, or such a group to the key.',
  wallet_unknown: 'The account does not have this wallet.',
  no_group_permits_wallet:
    'No group in execute_in_groups permits both the action and the wallet: a wildcard does not count as one.',
} as const;
export type Rule = keyof typeof rules;
export const ruleNames = Object.keys(rules) as [Rule, ...Rule[]];

export function explainRule(ruleNumber: number): { rule: Rule; explanation: string } {
  const rule = ruleNames[ruleNumber];
  if (!rule) throw new Error(`the contract has a rule ${ruleNumber} that this relayer does not know`);
  return { rule, explanation: rules[rule] };
}

/** Returns the refusal, undefined when the contract permits the key (its hash) to run the action at `minBlock` or later. */
export async function findRefusal(
  accountConfig: Pick<AccountConfig, 'read'>,
  { hash, cid, minBlock }: { hash: bigint; cid: string; minBlock: bigint },
): Promise<Error | undefined> {
  if (await accountConfig.read('canExecuteAction', [hash, cidHash(cid)], minBlock)) return undefined;
  const { actionRule } = await accountConfig.read('explainExecution', [hash, cidHash(cid), zeroAddress]);
  const { rule } = explainRule(actionRule);
  // Another relayer removed the key after this one read it.
  if (rule === 'key_unknown') return unknownKey();
  if (rule === 'key_expired') return expiredKey();
  return forbidden(`This usage key is not permitted to run the action ${cid}.`, {
    fix: 'Add the action to a group in execute_in_groups of the key.',
  });
}
