/** Results of the views, computed by a search through the whole model. */
import type { Address, Hex } from 'viem';
import { type Model, Revert } from './model.ts';
import { accepts } from './signatures.ts';
import { type Account, type Group, LISTS, live, NOBODY, type UsageKey } from './state.ts';

export type ViewFunctions = Record<string, (...args: never[]) => unknown[]>;

/** ExecutionRule of the interface. */
export const RULES = [
  'KeyUnknown',
  'NotUsageKey',
  'KeyExpired',
  'Wildcard',
  'Group',
  'NoGroupPermitsAction',
  'WalletUnknown',
  'NoGroupPermitsWallet',
] as const;
type Rule = (typeof RULES)[number];

interface Decision {
  yes: boolean;
  rule: Rule;
  groupId: bigint;
}

const no = (rule: Rule): Decision => ({ yes: false, rule, groupId: 0n });

export function views(model: Model): ViewFunctions {
  return { ...lookUps(model), ...permissions(model), ...lists(model), ...configuration(model) };
}

function lookUps(model: Model): ViewFunctions {
  return {
    resolve: (hash: bigint) => {
      const found = model.named(hash);
      if (found === undefined) return [0n, NOBODY, false, false, 0n];
      const { account, usageKey } = found;
      const isUsageKey = usageKey !== undefined;
      return [account.masterHash, account.admin, account.managed, isUsageKey, usageKey?.expiration ?? 0n];
    },
    accountState: (hash: bigint) => [accountState(model, hash)],
    accountExistsAndIsMutable: (hash: bigint) => {
      const found = model.named(hash);
      return [found !== undefined && model.isWriterOf(found.account)];
    },
    getAccountWalletAddress: (hash: bigint) => [model.found(hash).account.admin],
    allApiKeyHashesToMaster: (hash: bigint) => [model.named(hash)?.account.masterHash ?? 0n],
    getWalletDerivation: (hash: bigint, pkpId: Address) => {
      const wallets = live(model.named(hash)?.account.wallets ?? []);
      return [wallets.find(({ address }) => address === pkpId)?.derivationPath ?? 0n];
    },
    getPathOwnerMaster: (path: bigint) => [model.state.pathOwners.get(path) ?? 0n],
    isPathRegistered: (path: bigint) => [model.state.pathOwners.has(path)],
    isValidWalletSignature: (wallet: Address, digest: Hex, signature: Hex) => [
      accepts(wallet, digest, signature),
    ],
    isValidAccountSignature: (hash: bigint, digest: Hex, signature: Hex) => [
      accepts(model.found(hash).account.admin, digest, signature),
    ],
  };
}

/** HashState of the interface. */
const HASH_STATES = ['Unused', 'Account', 'UsageKey', 'Waiting', 'Rotated', 'Removed', 'Ended'] as const;

function accountState(model: Model, hash: bigint) {
  const { accounts, aliases, accountKeys, usageKeys, rotatedKeys, evicted } = model.state;
  const tell = (state: (typeof HASH_STATES)[number], account?: Account, masterHash = 0n) => ({
    state: HASH_STATES.indexOf(state),
    masterApiKeyHash: account?.masterHash ?? masterHash,
    adminWalletAddress: account?.admin ?? NOBODY,
    managed: account?.managed ?? false,
    accepted: account?.giver === NOBODY,
    giver: account?.giver ?? NOBODY,
    rotated: account?.rotated ?? false,
    frozen: account?.managed === true && model.state.payersFrozen,
    expiration: state === 'UsageKey' ? (model.named(hash)?.usageKey?.expiration ?? 0n) : 0n,
  });
  const found = model.named(hash);
  if (found !== undefined) return tell(found.usageKey === undefined ? 'Account' : 'UsageKey', found.account);
  const opened = accounts.get(hash);
  if (opened !== undefined) return tell('Rotated', opened);
  if (evicted.has(hash)) return tell('Ended', undefined, hash);
  const rotated = rotatedKeys.get(hash);
  if (rotated !== undefined) {
    const account = accounts.get(rotated);
    return tell(account === undefined ? 'Ended' : 'Rotated', account);
  }
  const removed = usageKeys.get(hash);
  if (removed !== undefined) {
    const account = accounts.get(removed);
    return tell(account === undefined ? 'Ended' : 'Removed', account);
  }
  if (aliases.has(hash) || accountKeys.has(hash)) return tell('Ended');
  const awaiting = model.waitingFor(hash);
  return awaiting === undefined ? tell('Unused') : tell('Waiting', awaiting);
}

function permissions(model: Model): ViewFunctions {
  const explain = (hash: bigint, cidHash: bigint, pkpId: Address): [Decision, Decision] => {
    const found = model.named(hash);
    if (found === undefined) return [no('KeyUnknown'), no('KeyUnknown')];
    const { account, usageKey } = found;
    if (usageKey === undefined) return [no('NotUsageKey'), no('NotUsageKey')];
    if (model.isExpired(usageKey)) return [no('KeyExpired'), no('KeyExpired')];
    return [aboutAction(account, usageKey, cidHash), aboutWallet(account, usageKey, cidHash, pkpId)];
  };
  return {
    canExecuteAction: (hash: bigint, cidHash: bigint) => [explain(hash, cidHash, NOBODY)[0].yes],
    canUseWalletInAction: (hash: bigint, cidHash: bigint, pkpId: Address) => [
      explain(hash, cidHash, pkpId)[1].yes,
    ],
    canExecuteActionAndUseWallet: (hash: bigint, cidHash: bigint, pkpId: Address) =>
      explain(hash, cidHash, pkpId).map(({ yes }) => yes),
    explainExecution: (hash: bigint, cidHash: bigint, pkpId: Address) => {
      const [action, wallet] = explain(hash, cidHash, pkpId);
      return [
        {
          canExecute: action.yes,
          actionRule: RULES.indexOf(action.rule),
          actionGroupId: action.groupId,
          canUseWallet: wallet.yes,
          walletRule: RULES.indexOf(wallet.rule),
          walletGroupId: wallet.groupId,
        },
      ];
    },
  };
}

/** Returns the ids of the live groups, ascending. */
export function idsOf(groups: Group[]): bigint[] {
  return groups.flatMap(({ removed }, i) => (removed ? [] : [BigInt(i) + 1n]));
}

const permitsAction = (group: Group, cidHash: bigint) => group.actions.has(0n) || group.actions.has(cidHash);

/** Returns the lowest live group in which the key can execute and that `permits`, or 0. */
function lowestGroup(account: Account, key: UsageKey, permits: (group: Group) => boolean): bigint {
  for (const [i, group] of account.groups.entries()) {
    const id = BigInt(i) + 1n;
    const isGranted = key.executeInGroups.has(0n) || key.executeInGroups.has(id);
    if (!group.removed && isGranted && permits(group)) return id;
  }
  return 0n;
}

function aboutAction(account: Account, key: UsageKey, cidHash: bigint): Decision {
  if (key.executeInGroups.has(0n)) return { yes: true, rule: 'Wildcard', groupId: 0n };
  const groupId = lowestGroup(account, key, (group) => permitsAction(group, cidHash));
  return groupId === 0n ? no('NoGroupPermitsAction') : { yes: true, rule: 'Group', groupId };
}

function aboutWallet(account: Account, key: UsageKey, cidHash: bigint, pkpId: Address): Decision {
  if (!live(account.wallets).some(({ address }) => address === pkpId)) return no('WalletUnknown');
  const groupId = lowestGroup(
    account,
    key,
    (group) => permitsAction(group, cidHash) && (group.wallets.has(NOBODY) || group.wallets.has(pkpId)),
  );
  return groupId === 0n ? no('NoGroupPermitsWallet') : { yes: true, rule: 'Group', groupId };
}

function lists(model: Model): ViewFunctions {
  const checkSize = (size: bigint, limit = 1000n) => {
    if (size < 1n || size > limit) throw new Revert('PageSizeOutOfRange', size, limit);
  };
  /** Returns the live entries at the positions of a page. */
  const page = <T>(entries: T[], number: bigint, size: bigint): T[] => {
    const first = number * size;
    if (first >= BigInt(entries.length)) return [];
    return entries.slice(Number(first), Number(first + size));
  };
  const pages =
    <T>(of: (account: Account) => T[], limit?: bigint) =>
    (hash: bigint, number: bigint, size: bigint) => {
      checkSize(size, limit);
      return page(of(model.found(hash).account), number, size);
    };
  /** Returns the members of a group in the order of the account's list, "every" first. */
  const actionsOf = (account: Account, group: Group): bigint[] =>
    [0n, ...live(account.actions).map((action) => action.hash)].filter((hash) => group.actions.has(hash));
  const walletsOf = (account: Account, group: Group) =>
    [{ address: NOBODY, derivationPath: 0n }, ...live(account.wallets)].filter(({ address }) =>
      group.wallets.has(address),
    );
  const groupPages =
    <T>(of: (account: Account, group: Group) => T[]) =>
    (hash: bigint, groupId: bigint, number: bigint, size: bigint) => {
      checkSize(size);
      const { account } = model.found(hash);
      return [page(of(account, model.group(account, hash, groupId)), number, size)];
    };
  const pkp = ({ address, derivationPath }: { address: Address; derivationPath: bigint }) => ({
    pkpId: address,
    derivationPath,
  });
  const ascending = (groups: Group[], ids: Set<bigint>) =>
    ids.has(0n) ? [0n] : idsOf(groups).filter((id) => ids.has(id));
  const usageKey = ({ groups }: Account, key: UsageKey) => {
    const { hash, expiration, createGroups, deleteGroups, createPKPs } = key;
    const lists = Object.fromEntries(LISTS.map((list) => [list, ascending(groups, key[list])]));
    const permissions = { createGroups, deleteGroups, createPKPs, ...lists };
    return { usageApiKeyHash: hash, expiration, permissions };
  };

  const apiKeyPages = pages(({ usageKeys }) => usageKeys, 20n);
  const pkpPages = pages(({ wallets }) => wallets);
  const actionPages = pages(({ actions }) => actions);
  const groupIdPages = pages(({ groups }) =>
    groups.map(({ removed }, i) => (removed ? [] : [BigInt(i) + 1n])),
  );
  return {
    listSizes: (hash: bigint) => {
      const { usageKeys, groups, wallets, actions } = model.found(hash).account;
      return [usageKeys, groups, wallets, actions].map(({ length }) => BigInt(length));
    },
    listApiKeys: (...page: [bigint, bigint, bigint]) => {
      const keys = live(apiKeyPages(...page));
      const { account } = model.found(page[0]);
      return [keys.map((key) => usageKey(account, key))];
    },
    listGroups: (...page: [bigint, bigint, bigint]) => [groupIdPages(...page).flat()],
    listPkps: (...page: [bigint, bigint, bigint]) => [live(pkpPages(...page)).map(pkp)],
    listActions: (...page: [bigint, bigint, bigint]) => [live(actionPages(...page)).map(({ hash }) => hash)],
    listGroupContents: (hash: bigint, groupId: bigint) => {
      const { account } = model.found(hash);
      const group = model.group(account, hash, groupId);
      const wallets = walletsOf(account, group).map(({ address }) => address);
      return [actionsOf(account, group).slice(0, 1000), wallets.slice(0, 1000)];
    },
    listActionsInGroup: groupPages(actionsOf),
    listWalletsInGroup: groupPages((account, group) => walletsOf(account, group).map(pkp)),
  };
}

function configuration(model: Model): ViewFunctions {
  return {
    api_payers: () => [model.state.apiPayers],
    adminApiPayerAccount: () => [model.state.adminApiPayer],
    guardian: () => [model.state.guardian],
    payersFrozen: () => [model.state.payersFrozen],
    conversionLimit: () => [model.state.conversionLimit],
    conversionsToday: (caller: Address) => [model.conversionsToday(caller)],
    consentRequired: () => [model.state.consentRequired],
    pricingOperator: () => [model.state.pricingOperator],
    configOperator: () => [model.state.configOperator],
    owner: () => [model.state.owner],
    pendingOwner: () => [model.state.pendingOwner],
    accountCount: () => [model.state.accountCount],
    pkpCount: () => [model.state.pkpCount],
    getPricing: (item: bigint) => [model.state.prices.get(item) ?? 0n],
    nodeConfigurationValue: (key: string) => [model.state.nodeConfiguration.get(key) ?? ''],
    nodeConfigurationValues: () => [
      [...model.state.nodeConfiguration].map(([key, value]) => ({ key, value })),
    ],
  };
}
