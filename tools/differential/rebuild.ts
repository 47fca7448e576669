/** Rebuilds the state from events alone, as a listener does. */
import type { Address } from 'viem';
import type { Named } from './abi.ts';
import {
  type Account,
  type Flags,
  type Group,
  identityOf,
  LISTS,
  type Lists,
  live,
  NOBODY,
  type State,
  type UsageKey,
} from './state.ts';

type Reducer = (state: State, ...args: never[]) => void;

function accountOf(state: State, masterHash: bigint): Account {
  const account = state.accounts.get(masterHash);
  if (account === undefined) throw new Error(`an event of an unknown account: ${masterHash}`);
  return account;
}

function groupOf(state: State, masterHash: bigint, groupId: bigint): Group {
  const group = accountOf(state, masterHash).groups[Number(groupId) - 1];
  if (group === undefined) throw new Error(`an event of an unknown group: ${groupId}`);
  return group;
}

function last<T>(entries: T[], what: string): T {
  const entry = entries.at(-1);
  if (entry === undefined) throw new Error(`an event of an unknown ${what}`);
  return entry;
}

function actionOf(state: State, masterHash: bigint, hash: bigint) {
  const { actions } = accountOf(state, masterHash);
  return last(
    live(actions).filter((action) => action.hash === hash),
    'action',
  );
}

function usageKeyOf(state: State, masterHash: bigint, hash: bigint): UsageKey {
  const { usageKeys } = accountOf(state, masterHash);
  return last(
    live(usageKeys).filter((key) => key.hash === hash),
    'usage key',
  );
}

/** A wallet chooses an account: its identity names this account for good. */
function choose(state: State, masterHash: bigint, wallet: Address): void {
  const account = accountOf(state, masterHash);
  const identity = identityOf(wallet);
  free(state, wallet);
  Object.assign(account, { admin: wallet, managed: false });
  if (identity === masterHash) Object.assign(account, { claimed: true, rotated: false });
  else state.aliases.set(identity, masterHash);
  state.admins.add(wallet);
}

/** Frees the identity of a wallet from what was put under it without the wallet. */
function free(state: State, wallet: Address): void {
  const identity = identityOf(wallet);
  for (const names of [state.aliases, state.accountKeys, state.usageKeys]) names.delete(identity);
  state.waiting.delete(wallet);
  state.undecided.delete(wallet);
}

function end(state: State, masterHash: bigint): Account {
  const account = accountOf(state, masterHash);
  state.accounts.delete(masterHash);
  for (const names of [state.aliases, state.accountKeys, state.usageKeys, state.pathOwners]) {
    for (const [name, named] of names) if (named === masterHash) names.set(name, 0n);
  }
  return account;
}

const reducers: Record<string, Reducer> = {
  AccountCreated(state, master: bigint, admin: Address, managed: boolean, name: string, description: string) {
    const lists = { usageKeys: [], groups: [], actions: [], wallets: [] };
    if (managed) {
      state.openedKeyHashes.add(master);
    } else {
      free(state, admin);
      state.admins.add(admin);
    }
    const flags = { managed, claimed: !managed, rotated: false };
    state.accounts.set(master, { masterHash: master, admin, ...flags, name, description, ...lists });
    state.accountCount += 1n;
  },
  AccountConvertedToChainSecured(state, master: bigint, _previous: Address, newAdmin: Address) {
    choose(state, master, newAdmin);
  },
  ChainSecuredAccountOwnershipTransferred(state, master: bigint, _previous: Address, newAdmin: Address) {
    const account = accountOf(state, master);
    account.admin = newAdmin;
    const identity = identityOf(newAdmin);
    if (identity === master && !account.claimed) return;
    const other = state.accounts.get(state.aliases.get(identity) ?? 0n);
    const isUndecided = state.undecided.has(newAdmin) || other !== undefined;
    free(state, newAdmin);
    state.waiting.add(newAdmin);
    if (isUndecided) state.undecided.add(newAdmin);
    state.aliases.set(identity, isUndecided ? 0n : master);
  },
  AccountAccepted(state, master: bigint, admin: Address) {
    choose(state, master, admin);
  },
  AccountKeyRotated(state, master: bigint, hash: bigint, newHash: bigint) {
    if (hash === master) accountOf(state, master).rotated = true;
    else state.accountKeys.set(hash, 0n);
    state.accountKeys.set(newHash, master);
  },
  AccountRetired(state, master: bigint) {
    const { claimed } = end(state, master);
    (claimed ? state.aliases : state.accountKeys).set(master, 0n);
  },
  AccountEvicted(state, master: bigint, wallet: Address) {
    const { rotated } = end(state, master);
    if (rotated && identityOf(wallet) !== master) state.accountKeys.set(master, 0n);
  },

  UsageApiKeySet(
    state,
    master: bigint,
    hash: bigint,
    expiration: bigint,
    balance: bigint,
    name: string,
    description: string,
    permissions: Flags & Lists<readonly bigint[]>,
  ) {
    const { createGroups, deleteGroups, createPKPs } = permissions;
    const lists = Object.fromEntries(LISTS.map((list) => [list, new Set(permissions[list])]));
    const flags = { createGroups, deleteGroups, createPKPs };
    const key = { hash, expiration, balance, name, description, removed: false, ...flags, ...lists };
    const { usageKeys } = accountOf(state, master);
    const found = live(usageKeys).find((known) => known.hash === hash);
    if (found === undefined) usageKeys.push(key as UsageKey);
    else Object.assign(found, key);
    state.usageKeys.set(hash, master);
  },
  UsageApiKeyMetadataUpdated(state, master: bigint, hash: bigint, name: string, description: string) {
    Object.assign(usageKeyOf(state, master, hash), { name, description });
  },
  UsageApiKeyExpirationSet(state, master: bigint, hash: bigint, expiration: bigint) {
    usageKeyOf(state, master, hash).expiration = expiration;
  },
  UsageApiKeyRotated(state, master: bigint, hash: bigint, newHash: bigint) {
    usageKeyOf(state, master, hash).hash = newHash;
    state.usageKeys.set(hash, 0n).set(newHash, master);
  },
  AllUsageApiKeysRemoved(state, master: bigint) {
    for (const key of accountOf(state, master).usageKeys) key.removed = true;
  },
  UsageApiKeyRemoved(state, master: bigint, hash: bigint) {
    usageKeyOf(state, master, hash).removed = true;
  },

  GroupAdded(
    state,
    master: bigint,
    groupId: bigint,
    name: string,
    description: string,
    cidHashes: bigint[],
    pkpIds: Address[],
  ) {
    const { groups } = accountOf(state, master);
    groups[Number(groupId) - 1] = {
      name,
      description,
      removed: false,
      actions: new Set(cidHashes),
      wallets: new Set(pkpIds),
    };
  },
  GroupUpdated(
    state,
    master: bigint,
    groupId: bigint,
    name: string,
    description: string,
    cidHashes: bigint[],
    pkpIds: Address[],
  ) {
    const contents = { actions: new Set(cidHashes), wallets: new Set(pkpIds) };
    Object.assign(groupOf(state, master, groupId), { name, description, ...contents });
  },
  GroupMetadataUpdated(state, master: bigint, groupId: bigint, name: string, description: string) {
    Object.assign(groupOf(state, master, groupId), { name, description });
  },
  GroupRemoved(state, master: bigint, groupId: bigint) {
    groupOf(state, master, groupId).removed = true;
  },

  ActionAdded(state, master: bigint, hash: bigint, name: string, description: string) {
    accountOf(state, master).actions.push({ hash, name, description, removed: false });
  },
  ActionMetadataUpdated(state, master: bigint, hash: bigint, name: string, description: string) {
    Object.assign(actionOf(state, master, hash), { name, description });
  },
  ActionRemoved(state, master: bigint, hash: bigint) {
    actionOf(state, master, hash).removed = true;
    for (const { actions } of accountOf(state, master).groups) actions.delete(hash);
  },
  ActionAddedToGroup(state, master: bigint, groupId: bigint, hash: bigint) {
    groupOf(state, master, groupId).actions.add(hash);
  },
  ActionRemovedFromGroup(state, master: bigint, groupId: bigint, hash: bigint) {
    groupOf(state, master, groupId).actions.delete(hash);
  },

  WalletDerivationRegistered(
    state,
    master: bigint,
    address: Address,
    derivationPath: bigint,
    name: string,
    description: string,
  ) {
    accountOf(state, master).wallets.push({ address, derivationPath, name, description, removed: false });
    if (!state.pathOwners.has(derivationPath)) state.pkpCount += 1n;
    state.pathOwners.set(derivationPath, master);
  },
  WalletDerivationRemoved(state, master: bigint, address: Address) {
    const { wallets, groups } = accountOf(state, master);
    last(
      live(wallets).filter((wallet) => wallet.address === address),
      'wallet',
    ).removed = true;
    for (const group of groups) group.wallets.delete(address);
  },
  PkpAddedToGroup(state, master: bigint, groupId: bigint, pkpId: Address) {
    groupOf(state, master, groupId).wallets.add(pkpId);
  },
  PkpRemovedFromGroup(state, master: bigint, groupId: bigint, pkpId: Address) {
    groupOf(state, master, groupId).wallets.delete(pkpId);
  },

  ApiPayersSet(state, payers: Address[]) {
    state.apiPayers = [...payers];
  },
  SignedWritesExecuted(state, _master: bigint, signer: Address, nonce: bigint) {
    state.nonces.add(`${signer} ${nonce}`);
  },
  NonceCancelled(state, signer: Address, nonce: bigint) {
    state.nonces.add(`${signer} ${nonce}`);
  },
  GuardianSet(state, value: Address) {
    state.guardian = value;
  },
  PayersFrozen(state) {
    state.payersFrozen = true;
  },
  PayersUnfrozen(state) {
    state.payersFrozen = false;
  },
  ConversionLimitSet(state, perDay: bigint) {
    state.conversionLimit = perDay;
  },
  AdminApiPayerAccountSet(state, value: Address) {
    state.adminApiPayer = value;
  },
  PricingOperatorSet(state, value: Address) {
    state.pricingOperator = value;
  },
  ConfigOperatorSet(state, value: Address) {
    state.configOperator = value;
  },
  PricingSet(state, item: bigint, price: bigint) {
    state.prices.set(item, price);
  },
  NodeConfigurationSet(state, key: string, value: string) {
    if (value === '') state.nodeConfiguration.delete(key);
    else state.nodeConfiguration.set(key, value);
  },
  OwnershipTransferStarted(state, _owner: Address, newOwner: Address) {
    state.pendingOwner = newOwner;
  },
  OwnershipTransferred(state, _owner: Address, newOwner: Address) {
    state.owner = newOwner;
    state.pendingOwner = NOBODY;
  },
};

/** Applies one event to the state. */
export function rebuild(state: State, { name, args }: Named): void {
  const reduce = reducers[name];
  if (reduce === undefined) throw new Error(`an event without an effect: ${name}`);
  reduce(state, ...(args as never[]));
}
