/** Writes of accounts and usage keys on the model. */
import type { Address } from 'viem';
import { invalid, LOWER_BITS, type Model, Revert, type Writes } from './model.ts';
import {
  type Account,
  type Flags,
  identityOf,
  LISTS,
  type Lists,
  live,
  NOBODY,
  type UsageKey,
} from './state.ts';

const LATEST_EXPIRATION = 2n ** 40n - 1n;

export function accountWrites(model: Model): Writes {
  return {
    newChainSecuredAccount: (name: string, description: string) => {
      model.checkLabels(name, description);
      checkNeverAdmin(model, model.caller);
      claimIdentity(model, model.caller);
      open(model, identityOf(model.caller), model.caller, false, name, description);
      return [];
    },
    newAccount: (hash: bigint, managed: boolean, name: string, description: string, admin: Address) => {
      if (!model.isPayer()) throw new Revert('OnlyApiPayer', model.caller);
      model.checkLabels(name, description);
      if (!managed) throw new Revert('NewAccountNotManaged', hash);
      if (hash === 0n) throw new Revert('AccountHashIsZero');
      if (admin === NOBODY) throw new Revert('AdminWalletIsZero');
      const opened = [...model.state.openedKeyHashes];
      const collides = opened.some((other) => (other & LOWER_BITS) === (hash & LOWER_BITS));
      if (collides || model.isAccountOrAlias(hash) || model.named(hash) !== undefined) {
        throw new Revert('AccountAlreadyExists', hash);
      }
      model.state.openedKeyHashes.add(hash);
      open(model, hash, admin, true, name, description);
      return [];
    },
    convertToChainSecuredAccount: (hash: bigint, newAdmin: Address) => {
      if (!model.isPayer() && model.caller !== model.state.owner) {
        throw new Revert('OnlyApiPayerOrOwner', model.caller);
      }
      if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
      const account = model.masterNamed(hash);
      if (!account.managed) throw new Revert('AlreadyChainSecured', hash);
      checkNeverAdmin(model, newAdmin);
      const previous = account.admin;
      claimIdentity(model, newAdmin, account);
      handOver(model, account, newAdmin);
      account.managed = false;
      model.emit('AccountConvertedToChainSecured', account.masterHash, previous, newAdmin);
      return [];
    },
    transferChainSecuredAccountOwnership: (hash: bigint, newAdmin: Address) => {
      if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
      const account = model.masterNamed(hash);
      if (account.managed) {
        throw invalid('the account is managed: convert it instead');
      }
      model.checkWriter(account, hash);
      if (newAdmin === account.admin) {
        throw new Revert('AlreadyAdminWallet', hash, newAdmin);
      }
      checkNeverAdmin(model, newAdmin);
      const previous = account.admin;
      claimIdentity(model, newAdmin, account);
      handOver(model, account, newAdmin);
      model.emit('ChainSecuredAccountOwnershipTransferred', account.masterHash, previous, newAdmin);
      return [];
    },
  };
}

export function usageKeyWrites(model: Model): Writes {
  return {
    setUsageApiKey: (
      accountHash: bigint,
      hash: bigint,
      expiration: bigint,
      balance: bigint,
      name: string,
      description: string,
      createGroups: boolean,
      deleteGroups: boolean,
      createPKPs: boolean,
      ...groupIds: bigint[][]
    ) => {
      model.checkLabels(name, description);
      model.checkLengths('TooManyUsageApiKeyEntries', 50, groupIds);
      if (hash === 0n) throw new Revert('UsageApiKeyHashIsZero');
      if (expiration > LATEST_EXPIRATION) {
        throw new Revert('ExpirationTooLarge', expiration, LATEST_EXPIRATION);
      }
      const account = model.asMaster(accountHash);
      for (const id of groupIds.flat()) if (id !== 0n) model.group(account, accountHash, id);
      const found = model.named(hash);
      if (model.isAccountOrAlias(hash) || (found !== undefined && found.account !== account)) {
        throw new Revert('AccountAlreadyExists', hash);
      }

      const flags: Flags = { createGroups, deleteGroups, createPKPs };
      const given = Object.fromEntries(LISTS.map((list, i) => [list, groupIds[i]])) as Lists<bigint[]>;
      const lists = Object.fromEntries(LISTS.map((list) => [list, new Set(given[list])])) as Lists<
        Set<bigint>
      >;
      const key: UsageKey = {
        hash,
        expiration,
        balance,
        name,
        description,
        removed: false,
        ...flags,
        ...lists,
      };
      if (found?.usageKey === undefined) account.usageKeys.push(key);
      else Object.assign(found.usageKey, key);
      const permissions = { ...flags, ...given };
      const { masterHash } = account;
      model.emit('UsageApiKeySet', masterHash, hash, expiration, balance, name, description, permissions);
      return [];
    },
    updateUsageApiKeyMetadata: (accountHash: bigint, hash: bigint, name: string, description: string) => {
      model.checkLabels(name, description);
      const account = model.asMaster(accountHash);
      Object.assign(usageKeyOf(account, accountHash, hash), { name, description });
      model.emit('UsageApiKeyMetadataUpdated', account.masterHash, hash, name, description);
      return [];
    },
    removeUsageApiKey: (accountHash: bigint, hash: bigint) => {
      const account = model.asMaster(accountHash);
      usageKeyOf(account, accountHash, hash).removed = true;
      model.emit('UsageApiKeyRemoved', account.masterHash, hash);
      return [];
    },
  };
}

function checkNeverAdmin(model: Model, wallet: Address): void {
  if (model.state.admins.has(wallet)) throw new Revert('AccountAlreadyExists', identityOf(wallet));
}

/** Gives a wallet its identity: evicts the account opened under that hash, unless it is `account`. */
function claimIdentity(model: Model, wallet: Address, account?: Account): void {
  const hash = identityOf(wallet);
  const found = model.named(hash);
  if (found?.usageKey !== undefined) {
    found.usageKey.removed = true;
    model.emit('UsageApiKeyRemoved', found.account.masterHash, hash);
  } else if (found !== undefined && found.account !== account) {
    evict(model, found.account);
    model.emit('AccountEvicted', hash, wallet);
  }
  model.state.admins.add(wallet);
}

function evict(model: Model, { masterHash }: Account): void {
  const { accounts, aliases, pathOwners } = model.state;
  accounts.delete(masterHash);
  for (const [alias, master] of aliases) if (master === masterHash) aliases.set(alias, 0n);
  for (const [path, master] of pathOwners) if (master === masterHash) pathOwners.set(path, 0n);
}

function open(
  model: Model,
  masterHash: bigint,
  admin: Address,
  managed: boolean,
  name: string,
  description: string,
) {
  const lists = { usageKeys: [], groups: [], actions: [], wallets: [] };
  model.state.accounts.set(masterHash, { masterHash, admin, managed, name, description, ...lists });
  model.state.accountCount += 1n;
  model.emit('AccountCreated', masterHash, admin, managed, name, description);
}

function handOver(model: Model, account: Account, newAdmin: Address): void {
  const hash = identityOf(newAdmin);
  if (hash !== account.masterHash) model.state.aliases.set(hash, account.masterHash);
  account.admin = newAdmin;
}

function usageKeyOf(account: Account, apiKeyHash: bigint, hash: bigint): UsageKey {
  const key = live(account.usageKeys).find((key) => key.hash === hash);
  if (key === undefined) throw new Revert('UsageApiKeyDoesNotExist', apiKeyHash, hash);
  return key;
}
