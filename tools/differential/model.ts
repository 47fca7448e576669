/**
 * AccountConfig by its interface and rules, on plain maps, sets and lists: nothing is packed, masked or indexed, and a
 * removal deletes every reference.
 */
import type { Address } from 'viem';
import type { Named } from './abi.ts';
import {
  type Account,
  copy,
  endAccount,
  freeIdentity,
  type Group,
  identityOf,
  isKnown,
  type List,
  live,
  NO_LIMIT,
  NOBODY,
  type State,
  type UsageKey,
} from './state.ts';

/** A revert with a custom error. */
export class Revert extends Error {
  readonly args: unknown[];
  constructor(name: string, ...args: unknown[]) {
    super(name);
    this.name = name;
    this.args = args;
  }
}

/** The reasons of InvalidRequest. */
export const REASONS = [
  'name over 128 bytes',
  'description over 1024 bytes',
  'the account is managed: convert it instead',
] as const;

export function invalid(reason: (typeof REASONS)[number]): Revert {
  return new Revert('InvalidRequest', reason);
}

/** The bits that key the storage: of two hashes that share them, the second is refused. */
export const LOWER_BITS = 2n ** 127n - 1n;

export type Writes = Record<string, (...args: never[]) => unknown[]>;

export class Model {
  state: State;
  /** The address of AccountConfig, which signatures name. */
  readonly contract: Address;
  caller: Address = NOBODY;
  /** Unix seconds of the block. */
  now = 0n;
  protected events: Named[] = [];
  /** The state before the first acceptance of a call, which a later revert restores. */
  protected beforeAcceptance: State | undefined;

  constructor(state: State, contract: Address) {
    this.state = state;
    this.contract = contract;
  }

  /** Runs writes that a revert undoes all. */
  atomically<T>(run: () => T): T {
    const before = copy(this.state);
    const { caller, beforeAcceptance } = this;
    try {
      return run();
    } catch (error) {
      Object.assign(this, { state: before, caller, beforeAcceptance });
      throw error;
    }
  }

  emit(name: string, ...args: unknown[]): void {
    this.events.push({ name, args });
  }

  // ------------------------------------------------------------------------------------------------- look-up

  /** Returns the account with this master hash or alias, or the account of this usage key. */
  named(hash: bigint): { account: Account; usageKey?: UsageKey } | undefined {
    const { accounts, aliases, accountKeys } = this.state;
    const opened = accounts.get(hash);
    const named = accounts.get(accountKeys.get(hash) ?? aliases.get(hash) ?? 0n);
    const account = opened?.rotated === false ? opened : named;
    if (account !== undefined) return { account };
    for (const account of accounts.values()) {
      const usageKey = live(account.usageKeys).find((key) => key.hash === hash);
      if (usageKey !== undefined) return { account, usageKey };
    }
    return undefined;
  }

  /** The same for a write, where the master hash names a ChainSecured account also when its account key was replaced. */
  namedInWrite(hash: bigint): { account: Account; usageKey?: UsageKey } | undefined {
    const account = this.state.accounts.get(hash);
    return this.named(hash) ?? (account?.managed === false ? { account } : undefined);
  }

  /** Reverts for a hash that was ever in use, by an account that has ended too, save as a usage key of `account`. */
  checkFree(hash: bigint, account?: Account): void {
    const { usageKeys, waiting } = this.state;
    const isOwnKey = account !== undefined && usageKeys.get(hash) === account.masterHash;
    if (!isOwnKey && (isKnown(this.state, hash) || waiting.has(hash))) {
      throw new Revert('AccountAlreadyExists', hash);
    }
  }

  found(hash: bigint): { account: Account; usageKey?: UsageKey } {
    const found = this.namedInWrite(hash);
    if (found !== undefined) return found;
    throw new Revert(this.waitingFor(hash) ? 'AccountNotAccepted' : 'AccountDoesNotExist', hash);
  }

  /** Returns the account that waits for the wallet with this identity, which has chosen none. */
  waitingFor(hash: bigint): Account | undefined {
    const { accounts, waiting } = this.state;
    const account = accounts.get(waiting.get(hash) ?? 0n);
    if (account === undefined || account.giver === NOBODY) return undefined;
    return identityOf(account.admin) === hash ? account : undefined;
  }

  isExpired(key: UsageKey): boolean {
    return key.expiration !== 0n && this.now >= key.expiration;
  }

  isPayer(): boolean {
    return !this.state.payersFrozen && this.state.apiPayers.includes(this.caller);
  }

  /** Reverts for an api payer that is frozen. */
  refuseFrozen(): void {
    const { payersFrozen, apiPayers } = this.state;
    if (payersFrozen && apiPayers.includes(this.caller)) throw new Revert('ApiPayersAreFrozen', this.caller);
  }

  isWriterOf(account: Account): boolean {
    return account.managed ? this.isPayer() : this.caller === account.admin;
  }

  group(account: Account, apiKeyHash: bigint, groupId: bigint): Group {
    const group = account.groups[Number(groupId) - 1];
    if (group === undefined || group.removed) throw new Revert('GroupDoesNotExist', apiKeyHash, groupId);
    return group;
  }

  // -------------------------------------------------------------------------------------------------- guards

  checkLabels(name: string, description: string): void {
    if (Buffer.byteLength(name) > 128) throw invalid('name over 128 bytes');
    if (Buffer.byteLength(description) > 1024) {
      throw invalid('description over 1024 bytes');
    }
  }

  checkLengths(error: string, limit: number, lists: unknown[][]): void {
    for (const { length } of lists) {
      if (length > limit) throw new Revert(error, BigInt(length), BigInt(limit));
    }
  }

  checkWriter(account: Account, apiKeyHash: bigint): void {
    if (this.isWriterOf(account)) return;
    if (account.managed) this.refuseFrozen();
    throw new Revert('NoAccountAccess', apiKeyHash, this.caller);
  }

  /** Checks the caller. A write that names a transferred account accepts it. */
  enter(account: Account, apiKeyHash: bigint): void {
    this.checkWriter(account, apiKeyHash);
    if (account.giver === NOBODY) return;
    this.checkNamed(account, apiKeyHash);
    this.accept(account);
  }

  /** Reverts for an account that waits, by the identity of its admin or by a usage key. */
  checkNamed({ admin, giver }: Account, apiKeyHash: bigint): void {
    const isUsageKey = this.named(apiKeyHash)?.usageKey !== undefined;
    if (giver !== NOBODY && (isUsageKey || identityOf(admin) === apiKeyHash)) {
      throw new Revert('AccountNotAccepted', apiKeyHash);
    }
  }

  /** The admin accepts the account, which its identity names unless the wallet has chosen another. */
  accept(account: Account): void {
    this.beforeAcceptance ??= copy(this.state);
    const { admin, masterHash } = account;
    const isNamed = !this.state.admins.has(admin);
    if (isNamed) this.choose(account, admin);
    account.giver = NOBODY;
    this.emit('AccountAccepted', masterHash, admin, isNamed);
  }

  /** A wallet chooses an account: its identity names this account for good. */
  choose(account: Account, wallet: Address): void {
    const identity = identityOf(wallet);
    if (identity === account.masterHash && !account.claimed) {
      Object.assign(account, { claimed: true, rotated: false });
    } else {
      this.claimIdentity(wallet, account);
      this.state.aliases.set(identity, account.masterHash);
    }
    this.state.admins.add(wallet);
  }

  checkUnchosen(wallet: Address): void {
    if (this.state.admins.has(wallet)) throw new Revert('AccountAlreadyExists', identityOf(wallet));
  }

  /**
   * Frees the identity of a wallet from what was put under it without the wallet. Reverts when the wallet has chosen an
   * account. The account that the wallet chooses now stays, also when its key has this identity.
   */
  claimIdentity(wallet: Address, chosen?: Account): void {
    const { state } = this;
    this.checkUnchosen(wallet);
    const hash = identityOf(wallet);
    const usageKey = this.named(hash)?.usageKey;
    const keyOf = state.accounts.get(state.accountKeys.get(hash) ?? 0n);
    const opened = state.accounts.get(hash) ?? (keyOf?.managed && keyOf !== chosen ? keyOf : undefined);
    if (usageKey !== undefined) {
      usageKey.removed = true;
      this.emit('UsageApiKeyRemoved', state.usageKeys.get(hash), hash);
    } else if (opened !== undefined) {
      endAccount(state, opened.masterHash);
      state.evicted.add(opened.masterHash);
      this.emit('AccountEvicted', opened.masterHash, wallet);
    }
    freeIdentity(state, wallet);
  }

  /** Returns the account for its writer. Reverts unless the hash is its master hash or an alias. */
  asMaster(apiKeyHash: bigint): Account {
    const account = this.masterNamed(apiKeyHash);
    this.enter(account, apiKeyHash);
    return account;
  }

  masterNamed(apiKeyHash: bigint): Account {
    const { account, usageKey } = this.found(apiKeyHash);
    if (usageKey !== undefined) throw new Revert('NotMasterAccount', apiKeyHash);
    return account;
  }

  /** Returns the account for its writer. For a usage key, reverts when `refusal` returns an error. */
  asPermitted(apiKeyHash: bigint, refusal: (key: UsageKey) => Revert | undefined): Account {
    const { account, usageKey } = this.found(apiKeyHash);
    if (usageKey !== undefined) {
      if (this.isExpired(usageKey)) throw new Revert('UsageApiKeyExpired', apiKeyHash);
      const error = refusal(usageKey);
      if (error !== undefined) throw error;
    }
    this.enter(account, apiKeyHash);
    return account;
  }

  asPermittedInGroup(apiKeyHash: bigint, groupId: bigint, list: List, error: string): Account {
    return this.asPermitted(apiKeyHash, (key) =>
      key[list].has(0n) || key[list].has(groupId) ? undefined : new Revert(error, apiKeyHash, groupId),
    );
  }

  /** Returns the conversions of the caller on this UTC day that were counted. */
  conversionsToday(caller: Address): bigint {
    return this.state.conversions.get(`${caller} ${this.now / 86_400n}`) ?? 0n;
  }

  countConversion(): void {
    const { conversions, conversionLimit } = this.state;
    if (conversionLimit === NO_LIMIT) return;
    conversions.set(`${this.caller} ${this.now / 86_400n}`, this.conversionsToday(this.caller) + 1n);
  }

  checkOwner(): void {
    if (this.caller !== this.state.owner) throw new Revert('OnlyOwner', this.caller);
  }

  checkConfigOperatorOrOwner(): void {
    const { owner, configOperator } = this.state;
    if (this.caller !== owner && this.caller !== configOperator) {
      throw new Revert('OnlyConfigOperatorOrOwner', this.caller);
    }
  }

  checkPricingOperatorOrOwner(): void {
    const { owner, pricingOperator } = this.state;
    if (this.caller !== owner && this.caller !== pricingOperator) {
      throw new Revert('OnlyPricingOperatorOrOwner', this.caller);
    }
  }
}
