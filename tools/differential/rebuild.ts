/** Rebuilds the state from events alone, as a listener does. */
import type { Address } from 'viem';
import type { Named } from './abi.ts';
import {
  type Account,
  endAccount,
  type Flags,
  freeIdentity,
  type Group,
  identityOf,
  isKnown,
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
  if (identity === masterHash) Object.assign(account, { claimed: true, rotated: false });
  else {
    freeIdentity(state, wallet);
    state.aliases.set(identity, masterHash);
  }
  state.admins.add(wallet);
}

const reducers: Record<string, Reducer> = {
  AccountCreated(state, master: bigint, admin: Address, managed: boolean, name: string, description: string) {
    const lists = { usageKeys: [], groups: [], actions: [], wallets: [] };
    if (managed) {
      state.openedKeyHashes.add(master);
    } else {
      freeIdentity(state, admin);
      state.admins.add(admin);
    }
    const flags = { managed, claimed: !managed, rotated: false, giver: NOBODY };
    state.accounts.set(master, { masterHash: master, admin, ...flags, name, description, ...lists });
    state.accountCount += 1n;
  },
  AccountConvertedToChainSecured(state, master: bigint, _previous: Address, newAdmin: Address) {
    choose(state, master, newAdmin);
    Object.assign(accountOf(state, master), { admin: newAdmin, managed: false });
  },
  ChainSecuredAccountOwnershipTransferred(state, master: bigint, previous: Address, newAdmin: Address) {
    Object.assign(accountOf(state, master), { admin: newAdmin, giver: previous });
    if (!isKnown(state, identityOf(newAdmin))) state.waiting.set(identityOf(newAdmin), master);
  },
  AccountAccepted(state, master: bigint, admin: Address, namedByIdentity: boolean) {
    accountOf(state, master).giver = NOBODY;
    if (namedByIdentity) choose(state, master, admin);
  },
  AccountTransferCancelled(state, master: bigint, _previous: Address, admin: Address) {
    Object.assign(accountOf(state, master), { admin, giver: NOBODY });
  },
  AccountKeyRotated(state, master: bigint, hash: bigint, newHash: bigint, admin: Address) {
    accountOf(state, master).admin = admin;
    if (hash === master) accountOf(state, master).rotated = true;
    else {
      state.accountKeys.delete(hash);
      state.rotatedKeys.set(hash, master);
    }
    state.accountKeys.set(newHash, master);
  },
  AccountRetired(state, master: bigint) {
    const { claimed } = accountOf(state, master);
    endAccount(state, master);
    (claimed ? state.aliases : state.accountKeys).set(master, 0n);
  },
  AccountEvicted(state, master: bigint, _wallet: Address) {
    endAccount(state, master);
    state.evicted.add(master);
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
    state.usageKeys.delete(hash);
    state.usageKeys.set(newHash, master);
    state.rotatedKeys.set(hash, master);
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
  SignedWritesExecuted(state, master: bigint, _signer: Address, nonce: bigint) {
    state.nonces.add(`${master} ${nonce}`);
  },
  NonceCancelled(state, master: bigint, _signer: Address, nonce: bigint) {
    state.nonces.add(`${master} ${nonce}`);
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
  ConsentRequiredSet(state, required: boolean) {
    state.consentRequired = required;
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
