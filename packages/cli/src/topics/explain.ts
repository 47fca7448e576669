/** Why a usage key is permitted to run an action. */
import { usageKeyHash, type Verdict } from '@latchkey/sdk';
import { type Command, command } from '../command.ts';
import { EXIT } from '../errors.ts';
import * as options from '../options.ts';
import { parseHash, parseWallet } from '../parse.ts';

/** Sentences for the rules, in the words of the contract's interface. */
const sentences: Record<Verdict['rule'], string> = {
  key_unknown: 'the account has no such usage key',
  not_usage_key: 'the key is not a usage key',
  key_expired: 'the usage key has expired',
  wildcard: 'the usage key runs actions of every group',
  group: 'a group permits it',
  no_group_permits_action: 'no group of the usage key permits the action',
  wallet_unknown: 'the account has no such wallet',
  no_group_permits_wallet: 'no group permits the action to use the wallet',
};

const showVerdict = (what: string, { permitted, rule, groupId }: Verdict): string =>
  `${what}: ${permitted ? 'permitted' : 'refused'}, ${sentences[rule] ?? rule}${groupId === 0n ? '' : ` (group ${groupId})`}`;

export const explain: Command = command({
  summary: 'explains whether a usage key may run an action and use a wallet; ends with 3 when not',
  arguments: { action: options.action },
  options: {
    key: {
      value: 'hash',
      parse: parseHash,
      help: 'hash of the usage key (default: the usage key of the profile)',
    },
    wallet: { value: 'address', parse: parseWallet, help: 'also explains the use of this wallet' },
  },
  examples: ['explain Qm… --wallet 0x…', 'explain Qm… --key 0x…'],
  run: async (session, { action, key, wallet }) => {
    const usageKey = key ?? usageKeyHash(await session.usageKey());
    const { secrets } = await session.profile();
    const client = await session.client();
    // Without the account key, a usage key asks about itself.
    const isOwn = client.mode === 'api' && secrets.accountKey === undefined;
    return client.explainExecution({ cid: action, pkpId: wallet, ...(!isOwn && { usageKey }) } as never);
  },
  show: ({ action, wallet }) =>
    [showVerdict('action', action), ...(wallet ? [showVerdict('wallet', wallet)] : [])].join('\n'),
  exitCode: ({ action, wallet }) =>
    action.permitted && wallet?.permitted !== false ? EXIT.ok : EXIT.refused,
});
