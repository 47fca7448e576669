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
      claimIdentity(model, model.caller);
      model.state.admins.add(model.caller);
      open(model, identityOf(model.caller), model.caller, false, name, description);
      return [];
    },
    newAccount: (hash: bigint, managed: boolean, name: string, description: string, admin: Address) => {
      if (!model.isPayer()) {
        model.refuseFrozen();
        throw new Revert('OnlyApiPayer', model.caller);
      }
      model.checkLabels(name, description);
      if (!managed) throw new Revert('NewAccountNotManaged', hash);
      if (hash === 0n) throw new Revert('AccountHashIsZero');
      if (admin === NOBODY) throw new Revert('AdminWalletIsZero');
      const opened = [...model.state.openedKeyHashes];
      const collides = opened.some((other) => (other & LOWER_BITS) === (hash & LOWER_BITS));
      if (collides) throw new Revert('AccountAlreadyExists', hash);
      model.checkFree(hash);
      model.state.openedKeyHashes.add(hash);
      open(model, hash, admin, true, name, description);
      return [];
    },
    convertToChainSecuredAccount: (hash: bigint, newAdmin: Address) => {
      if (!model.isPayer() && model.caller !== model.state.owner) {
        model.refuseFrozen();
        throw new Revert('OnlyApiPayerOrOwner', model.caller);
      }
      if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
      const account = model.masterNamed(hash);
      if (!account.managed) throw new Revert('AlreadyChainSecured', hash);
      if (model.state.conversionLimit === 0n) throw new Revert('ConversionLimitReached', 0n);
      const previous = account.admin;
      const identity = identityOf(newAdmin);
      if (identity === account.masterHash && !account.claimed) {
        Object.assign(account, { claimed: true, rotated: false });
      } else {
        claimIdentity(model, newAdmin, account);
        model.state.aliases.set(identity, account.masterHash);
      }
      model.state.admins.add(newAdmin);
      Object.assign(account, { admin: newAdmin, managed: false });
      model.emit('AccountConvertedToChainSecured', account.masterHash, previous, newAdmin);
      return [];
    },
    transferChainSecuredAccountOwnership: (hash: bigint, newAdmin: Address) => {
      if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
      const account = model.masterNamed(hash);
      if (account.managed) {
        throw invalid('the account is managed: convert it instead');
      }
      model.enter(account, hash);
      if (newAdmin === account.admin) {
        throw new Revert('AlreadyAdminWallet', hash, newAdmin);
      }
      const previous = account.admin;
      const identity = identityOf(newAdmin);
      if (identity !== account.masterHash || account.claimed) {
        const { aliases, waiting, undecided, accounts } = model.state;
        const other = waiting.has(newAdmin) ? accounts.get(aliases.get(identity) ?? 0n) : undefined;
        const isUndecided = undecided.has(newAdmin) || other !== undefined;
        claimIdentity(model, newAdmin);
        aliases.set(identity, isUndecided ? 0n : account.masterHash);
        waiting.add(newAdmin);
        if (isUndecided) undecided.add(newAdmin);
      }
      account.admin = newAdmin;
      model.emit('ChainSecuredAccountOwnershipTransferred', account.masterHash, previous, newAdmin);
      return [];
    },
    rotateAccountKey: (hash: bigint, newHash: bigint) => {
      if (newHash === 0n) throw new Revert('AccountHashIsZero');
      const account = model.masterNamed(hash);
      if (!account.managed) throw new Revert('AlreadyChainSecured', hash);
      model.checkWriter(account, hash);
      model.checkFree(newHash);
      if (hash === account.masterHash) account.rotated = true;
      else model.state.accountKeys.set(hash, 0n);
      model.state.accountKeys.set(newHash, account.masterHash);
      model.emit('AccountKeyRotated', account.masterHash, hash, newHash);
      return [];
    },
    retireAccount: (hash: bigint) => {
      const account = model.masterNamed(hash);
      model.checkWriter(account, hash);
      end(model, account);
      const names = account.claimed ? model.state.aliases : model.state.accountKeys;
      names.set(account.masterHash, 0n);
      model.emit('AccountRetired', account.masterHash);
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
      checkExpiration(expiration);
      const account = model.asMaster(accountHash);
      for (const id of groupIds.flat()) if (id !== 0n) model.group(account, accountHash, id);
      model.checkFree(hash, account);

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
      const found = live(account.usageKeys).find((known) => known.hash === hash);
      if (found === undefined) account.usageKeys.push(key);
      else Object.assign(found, key);
      model.state.usageKeys.set(hash, account.masterHash);
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
    setUsageApiKeyExpiration: (accountHash: bigint, hash: bigint, expiration: bigint) => {
      checkExpiration(expiration);
      const account = model.asMaster(accountHash);
      usageKeyOf(account, accountHash, hash).expiration = expiration;
      model.emit('UsageApiKeyExpirationSet', account.masterHash, hash, expiration);
      return [];
    },
    rotateUsageApiKey: (accountHash: bigint, hash: bigint, newHash: bigint) => {
      if (newHash === 0n) throw new Revert('UsageApiKeyHashIsZero');
      const account = model.asMaster(accountHash);
      const key = usageKeyOf(account, accountHash, hash);
      model.checkFree(newHash, account);
      if (live(account.usageKeys).some((other) => other.hash === newHash)) {
        throw new Revert('AccountAlreadyExists', newHash);
      }
      key.hash = newHash;
      model.state.usageKeys.set(hash, 0n).set(newHash, account.masterHash);
      model.emit('UsageApiKeyRotated', account.masterHash, hash, newHash);
      return [];
    },
    removeAllUsageApiKeys: (accountHash: bigint) => {
      const account = model.asMaster(accountHash);
      for (const key of account.usageKeys) key.removed = true;
      model.emit('AllUsageApiKeysRemoved', account.masterHash);
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

/**
 * Frees the identity of a wallet from what was put under it without the wallet. Reverts when the wallet has chosen an
 * account. An account that is being converted to the wallet stays, also when its key has this identity.
 */
function claimIdentity(model: Model, wallet: Address, converted?: Account): void {
  const { state } = model;
  const hash = identityOf(wallet);
  if (state.admins.has(wallet)) throw new Revert('AccountAlreadyExists', hash);
  const named = model.named(hash);
  const keyOf = state.accounts.get(state.accountKeys.get(hash) ?? 0n);
  const opened = state.accounts.get(hash) ?? (keyOf?.managed && keyOf !== converted ? keyOf : undefined);
  if (named?.usageKey !== undefined) {
    named.usageKey.removed = true;
    model.emit('UsageApiKeyRemoved', named.account.masterHash, hash);
  } else if (opened !== undefined) {
    end(model, opened);
    if (opened.rotated) state.accountKeys.set(opened.masterHash, 0n);
    model.emit('AccountEvicted', opened.masterHash, wallet);
  }
  state.aliases.delete(hash);
  state.accountKeys.delete(hash);
  state.usageKeys.delete(hash);
  state.waiting.delete(wallet);
  state.undecided.delete(wallet);
}

/** Ends an account: its names stay and name nothing. */
function end(model: Model, { masterHash }: Account): void {
  const { accounts, aliases, accountKeys, usageKeys, pathOwners } = model.state;
  accounts.delete(masterHash);
  for (const names of [aliases, accountKeys, usageKeys, pathOwners]) {
    for (const [name, master] of names) if (master === masterHash) names.set(name, 0n);
  }
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
  const flags = { managed, claimed: !managed, rotated: false };
  model.state.accounts.set(masterHash, { masterHash, admin, ...flags, name, description, ...lists });
  model.state.accountCount += 1n;
  model.emit('AccountCreated', masterHash, admin, managed, name, description);
}

function checkExpiration(expiration: bigint): void {
  if (expiration > LATEST_EXPIRATION) throw new Revert('ExpirationTooLarge', expiration, LATEST_EXPIRATION);
}

function usageKeyOf(account: Account, apiKeyHash: bigint, hash: bigint): UsageKey {
  const key = live(account.usageKeys).find((key) => key.hash === hash);
  if (key === undefined) throw new Revert('UsageApiKeyDoesNotExist', apiKeyHash, hash);
  return key;
}
