/** Writes of accounts and usage keys on the model. */
import type { Address } from 'viem';
import { invalid, LOWER_BITS, type Model, Revert, type Writes } from './model.ts';
import { signingKeyOf } from './pools.ts';
import type { Signed } from './signatures.ts';
import {
  type Account,
  endAccount,
  type Flags,
  identityOf,
  isKnown,
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
      model.claimIdentity(model.caller);
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
      const account = convertible(model, hash, newAdmin);
      const { consentRequired, conversionLimit } = model.state;
      if (consentRequired) throw new Revert('ConsentRequired', hash);
      if (model.conversionsToday(model.caller) >= conversionLimit) {
        throw new Revert('ConversionLimitReached', conversionLimit);
      }
      convert(model, account, newAdmin);
      model.countConversion();
      return [];
    },
    convertWithConsent: (hash: bigint, newAdmin: Address, deadline: bigint, consent: Signed) => {
      const account = convertible(model, hash, newAdmin);
      checkConsent(model, account, deadline, consent);
      convert(model, account, newAdmin);
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
      model.checkUnchosen(newAdmin);
      const { admin: previous, masterHash } = account;
      if (!isKnown(model.state, identityOf(newAdmin)))
        model.state.waiting.set(identityOf(newAdmin), masterHash);
      Object.assign(account, { admin: newAdmin, giver: previous });
      model.emit('ChainSecuredAccountOwnershipTransferred', masterHash, previous, newAdmin);
      return [];
    },
    acceptAccount: (hash: bigint) => {
      const account = model.masterNamed(hash);
      model.checkWriter(account, hash);
      if (account.giver !== NOBODY) model.accept(account);
      return [];
    },
    cancelTransfer: (hash: bigint) => {
      const account = model.masterNamed(hash);
      const { giver, admin, masterHash } = account;
      if (giver === NOBODY) throw new Revert('NoPendingTransfer', hash);
      if (model.caller !== giver) model.checkWriter(account, hash);
      Object.assign(account, { admin: giver, giver: NOBODY });
      model.emit('AccountTransferCancelled', masterHash, admin, giver);
      return [];
    },
    rotateAccountKey: (
      hash: bigint,
      newHash: bigint,
      newAdmin: Address,
      deadline: bigint,
      consent: Signed,
    ) => {
      if (newHash === 0n) throw new Revert('AccountHashIsZero');
      if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
      const account = managedNamed(model, hash);
      model.checkWriter(account, hash);
      model.checkFree(newHash);
      checkConsent(model, account, deadline, consent);
      account.admin = newAdmin;
      if (hash === account.masterHash) account.rotated = true;
      else {
        model.state.accountKeys.delete(hash);
        model.state.rotatedKeys.set(hash, account.masterHash);
      }
      model.state.accountKeys.set(newHash, account.masterHash);
      model.emit('AccountKeyRotated', account.masterHash, hash, newHash, newAdmin);
      return [];
    },
    retireAccount: (hash: bigint) => {
      const account = model.masterNamed(hash);
      if (account.managed) throw new Revert('ConsentRequired', hash);
      model.checkWriter(account, hash);
      model.checkNamed(account, hash);
      retire(model, account);
      return [];
    },
    retireManagedAccount: (hash: bigint, deadline: bigint, consent: Signed) => {
      const account = managedNamed(model, hash);
      model.checkWriter(account, hash);
      checkConsent(model, account, deadline, consent);
      retire(model, account);
      return [];
    },
  };
}

function managedNamed(model: Model, hash: bigint): Account {
  const account = model.masterNamed(hash);
  if (!account.managed) throw new Revert('AlreadyChainSecured', hash);
  return account;
}

function convertible(model: Model, hash: bigint, newAdmin: Address): Account {
  if (!model.isPayer() && model.caller !== model.state.owner) {
    model.refuseFrozen();
    throw new Revert('OnlyApiPayerOrOwner', model.caller);
  }
  if (newAdmin === NOBODY) throw new Revert('AdminWalletIsZero');
  return managedNamed(model, hash);
}

function convert(model: Model, account: Account, newAdmin: Address): void {
  const previous = account.admin;
  model.choose(account, newAdmin);
  Object.assign(account, { admin: newAdmin, managed: false });
  model.emit('AccountConvertedToChainSecured', account.masterHash, previous, newAdmin);
}

/** Reverts unless the address of the account key has signed for this call. */
function checkConsent(model: Model, { admin }: Account, deadline: bigint, { signer }: Signed): void {
  if (model.now > deadline) throw new Revert('SignatureExpired', deadline);
  if (signer !== signingKeyOf(admin)) throw new Revert('InvalidSignature', admin);
}

function retire(model: Model, { masterHash, claimed }: Account): void {
  endAccount(model.state, masterHash);
  const names = claimed ? model.state.aliases : model.state.accountKeys;
  names.set(masterHash, 0n);
  model.emit('AccountRetired', masterHash);
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
      model.state.usageKeys.delete(hash);
      model.state.usageKeys.set(newHash, account.masterHash);
      model.state.rotatedKeys.set(hash, account.masterHash);
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

function open(
  model: Model,
  masterHash: bigint,
  admin: Address,
  managed: boolean,
  name: string,
  description: string,
) {
  const lists = { usageKeys: [], groups: [], actions: [], wallets: [] };
  const flags = { managed, claimed: !managed, rotated: false, giver: NOBODY };
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
