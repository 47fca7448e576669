/**
 * AccountConfig as its interface and rules tell it, on plain maps, sets and lists: nothing is packed, masked or
 * indexed, and a removal sweeps whatever knew the removed one.
 */
import { walletIdentity } from '@latchkey/protocol';
import type { Address } from 'viem';
import { type Call, encodeResult, type Named } from './abi.ts';
import {
  type Account,
  copy,
  type Flags,
  type Group,
  LISTS,
  type List,
  type Lists,
  live,
  NOBODY,
  type State,
  type UsageKey,
} from './state.ts';
import { type ViewFunctions, views } from './views.ts';

/** A revert with a custom error. */
export class Revert extends Error {
  readonly args: unknown[];
  constructor(name: string, ...args: unknown[]) {
    super(name);
    this.name = name;
    this.args = args;
  }
}

/** What InvalidRequest may say. */
export const REASONS = [
  'name over 128 bytes',
  'description over 1024 bytes',
  'id collides',
  'a payer opens managed accounts only',
  'account hash is zero',
  'admin wallet is zero',
  'the account is ChainSecured already',
  'the account is managed: convert it instead',
  'the wallet is the admin wallet already',
  'usage key hash is zero',
  'expiration is not in unix seconds',
  'action hash is zero',
  'wallet is zero',
  'derivation path is zero',
  'more than 50 api payers',
  'api payer is zero',
  'api payer is given twice',
  'key not in 1 to 128 bytes',
  'value over 1024 bytes',
  'more than 100 keys',
  'more than 10 entries',
  'more than 50 entries',
  'page size not in 1 to 1000',
] as const;

export function invalid(reason: (typeof REASONS)[number]): Revert {
  return new Revert('InvalidRequest', reason);
}

export type Outcome =
  | { success: true; result: unknown[]; events: Named[] }
  | { success: false; error: Named };

const LATEST_EXPIRATION = 2n ** 40n - 1n;
const LOWER_BITS = 2n ** 127n - 1n;

type Writes = Record<string, (...args: never[]) => unknown[]>;

export class Model {
  state: State;
  caller: Address = NOBODY;
  /** Unix seconds of the block. */
  now = 0n;
  private events: Named[] = [];
  private readonly views: ViewFunctions = views(this);
  private readonly writes: Writes = this.writeFunctions();

  constructor(state: State) {
    this.state = state;
  }

  /** A transaction or an eth_call: all or nothing. */
  call(caller: Address, now: bigint, call: Call): Outcome {
    this.caller = caller;
    this.now = now;
    this.events = [];
    try {
      return { success: true, result: this.dispatch(call), events: this.events };
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      return { success: false, error: { name: error.name, args: error.args } };
    }
  }

  private dispatch({ name, args }: Call): unknown[] {
    const run = this.writes[name] ?? this.views[name];
    if (run === undefined) throw new Error(`the model has no ${name}`);
    return run(...(args as never[]));
  }

  private emit(name: string, ...args: unknown[]): void {
    this.events.push({ name, args });
  }

  // ------------------------------------------------------------------------------------------------- look-up

  accountOfMaster(masterHash: bigint): Account {
    const account = this.state.accounts.get(masterHash);
    if (account === undefined) throw new Error(`no account ${masterHash}`);
    return account;
  }

  /** What a hash names: an account by its master hash or an alias, or a usage key of an account. */
  named(hash: bigint): { account: Account; usageKey?: UsageKey } | undefined {
    const { accounts, aliases } = this.state;
    const account = accounts.get(hash) ?? accounts.get(aliases.get(hash) ?? 0n);
    if (account !== undefined) return { account };
    for (const account of accounts.values()) {
      const usageKey = live(account.usageKeys).find((key) => key.hash === hash);
      if (usageKey !== undefined) return { account, usageKey };
    }
    return undefined;
  }

  found(hash: bigint): { account: Account; usageKey?: UsageKey } {
    const found = this.named(hash);
    if (found === undefined) throw new Revert('AccountDoesNotExist', hash);
    return found;
  }

  isExpired(key: UsageKey): boolean {
    return key.expiration !== 0n && this.now >= key.expiration;
  }

  isPayer(): boolean {
    return this.state.apiPayers.includes(this.caller);
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

  private checkLabels(name: string, description: string): void {
    if (Buffer.byteLength(name) > 128) throw invalid('name over 128 bytes');
    if (Buffer.byteLength(description) > 1024) {
      throw invalid('description over 1024 bytes');
    }
  }

  private checkLengths(limit: 10 | 50, ...lists: unknown[][]): void {
    for (const list of lists) {
      if (list.length > limit) throw invalid(`more than ${limit} entries`);
    }
  }

  private checkWriter(account: Account, apiKeyHash: bigint): void {
    if (!this.isWriterOf(account)) throw new Revert('NoAccountAccess', apiKeyHash, this.caller);
  }

  /** The account, which has to be named by its master hash or an alias, for its writer. */
  private asMaster(apiKeyHash: bigint): Account {
    const account = this.masterNamed(apiKeyHash);
    this.checkWriter(account, apiKeyHash);
    return account;
  }

  private masterNamed(apiKeyHash: bigint): Account {
    const { account, usageKey } = this.found(apiKeyHash);
    if (usageKey !== undefined) throw new Revert('NotMasterAccount', apiKeyHash);
    return account;
  }

  /** The account for its writer, if `refusal` has nothing against the usage key when it is named by one. */
  private asPermitted(apiKeyHash: bigint, refusal: (key: UsageKey) => Revert | undefined): Account {
    const { account, usageKey } = this.found(apiKeyHash);
    if (usageKey !== undefined) {
      if (this.isExpired(usageKey)) throw new Revert('UsageApiKeyExpired', apiKeyHash);
      const error = refusal(usageKey);
      if (error !== undefined) throw error;
    }
    this.checkWriter(account, apiKeyHash);
    return account;
  }

  private asPermittedInGroup(apiKeyHash: bigint, groupId: bigint, list: List, error: string): Account {
    return this.asPermitted(apiKeyHash, (key) =>
      key[list].has(0n) || key[list].has(groupId) ? undefined : new Revert(error, apiKeyHash, groupId),
    );
  }

  private checkOwner(): void {
    if (this.caller !== this.state.owner) throw new Revert('OnlyOwner', this.caller);
  }

  private checkConfigOperatorOrOwner(): void {
    const { owner, configOperator } = this.state;
    if (this.caller !== owner && this.caller !== configOperator) {
      throw new Revert('OnlyConfigOperatorOrOwner', this.caller);
    }
  }

  private checkPricingOperatorOrOwner(): void {
    const { owner, pricingOperator } = this.state;
    if (this.caller !== owner && this.caller !== pricingOperator) {
      throw new Revert('OnlyPricingOperatorOrOwner', this.caller);
    }
  }

  // ----------------------------------------------------------------------------------------------- identities

  private checkNeverAdmin(wallet: Address): void {
    if (this.state.admins.has(wallet)) throw new Revert('AccountAlreadyExists', walletIdentity(wallet));
  }

  /** Whatever else was opened under the identity of a wallet gives way; `account` is the one it is to name. */
  private claimIdentity(wallet: Address, account?: Account): void {
    const hash = walletIdentity(wallet);
    const found = this.named(hash);
    if (found?.usageKey !== undefined) {
      found.usageKey.removed = true;
      this.emit('UsageApiKeyRemoved', found.account.masterHash, hash);
    } else if (found !== undefined && found.account !== account) {
      this.evict(found.account);
      this.emit('AccountEvicted', hash, wallet);
    }
    this.state.admins.add(wallet);
  }

  private evict({ masterHash }: Account): void {
    const { accounts, aliases, pathOwners } = this.state;
    accounts.delete(masterHash);
    for (const [alias, master] of aliases) if (master === masterHash) aliases.set(alias, 0n);
    for (const [path, master] of pathOwners) if (master === masterHash) pathOwners.set(path, 0n);
  }

  private open(masterHash: bigint, admin: Address, managed: boolean, name: string, description: string) {
    const lists = { usageKeys: [], groups: [], actions: [], wallets: [] };
    this.state.accounts.set(masterHash, { masterHash, admin, managed, name, description, ...lists });
    this.state.accountCount += 1n;
    this.emit('AccountCreated', masterHash, admin, managed, name, description);
  }

  private handOver(account: Account, newAdmin: Address): void {
    const hash = walletIdentity(newAdmin);
    if (hash !== account.masterHash) this.state.aliases.set(hash, account.masterHash);
    account.admin = newAdmin;
  }

  // ------------------------------------------------------------------------------------------------- contents

  /** The CID hashes that the account does not have yet, each once. */
  private unknownActions(account: Account, cidHashes: bigint[]): bigint[] {
    const added: bigint[] = [];
    for (const hash of cidHashes) {
      const known = [0n, ...live(account.actions).map((action) => action.hash), ...added];
      if (known.includes(hash)) continue;
      if (known.some((other) => (other & LOWER_BITS) === (hash & LOWER_BITS))) {
        throw invalid('id collides');
      }
      added.push(hash);
    }
    return added;
  }

  private addActions(account: Account, hashes: bigint[], name: string, description: string): void {
    for (const hash of hashes) {
      account.actions.push({ hash, name, description, removed: false });
      this.emit('ActionAdded', account.masterHash, hash, name, description);
    }
  }

  private wallet(account: Account, address: Address) {
    return live(account.wallets).find((wallet) => wallet.address === address);
  }

  private checkWallets(account: Account, apiKeyHash: bigint, groupId: bigint, pkpIds: Address[]): void {
    for (const pkpId of pkpIds) {
      if (pkpId !== NOBODY && this.wallet(account, pkpId) === undefined) {
        throw new Revert('PkpDoesNotExist', apiKeyHash, groupId, pkpId);
      }
    }
  }

  private usageKey(account: Account, apiKeyHash: bigint, hash: bigint): UsageKey {
    const key = live(account.usageKeys).find((key) => key.hash === hash);
    if (key === undefined) throw new Revert('UsageApiKeyDoesNotExist', apiKeyHash, hash);
    return key;
  }

  private action(account: Account, apiKeyHash: bigint, hash: bigint) {
    const action = live(account.actions).find((action) => action.hash === hash);
    if (action === undefined) throw new Revert('ActionDoesNotExist', apiKeyHash, 0n, hash);
    return action;
  }

  // --------------------------------------------------------------------------------------------------- writes

  private writeFunctions(): Writes {
    return {
      ...this.accountWrites(),
      ...this.usageKeyWrites(),
      ...this.groupWrites(),
      ...this.actionWrites(),
      ...this.walletWrites(),
      ...this.configurationWrites(),
      multicall: (calls: Call[]) => {
        const before = copy(this.state);
        try {
          return [calls.map((call) => encodeResult(call.name, this.dispatch(call)))];
        } catch (error) {
          this.state = before;
          throw error;
        }
      },
      unknownFunction: (data: string) => {
        throw new Revert('FunctionNotFound', data === '0x' ? '0x00000000' : data.slice(0, 10));
      },
    };
  }

  private accountWrites(): Writes {
    return {
      newChainSecuredAccount: (name: string, description: string) => {
        this.checkLabels(name, description);
        this.checkNeverAdmin(this.caller);
        this.claimIdentity(this.caller);
        this.open(walletIdentity(this.caller), this.caller, false, name, description);
        return [];
      },
      newAccount: (hash: bigint, managed: boolean, name: string, description: string, admin: Address) => {
        if (!this.isPayer()) throw new Revert('OnlyApiPayer', this.caller);
        this.checkLabels(name, description);
        if (!managed) throw invalid('a payer opens managed accounts only');
        if (hash === 0n) throw invalid('account hash is zero');
        if (admin === NOBODY) throw invalid('admin wallet is zero');
        const opened = [...this.state.openedKeyHashes];
        const collides = opened.some((other) => (other & LOWER_BITS) === (hash & LOWER_BITS));
        if (collides || this.named(hash) !== undefined || this.state.aliases.has(hash))
          throw new Revert('AccountAlreadyExists', hash);
        this.state.openedKeyHashes.add(hash);
        this.open(hash, admin, true, name, description);
        return [];
      },
      convertToChainSecuredAccount: (hash: bigint, newAdmin: Address) => {
        if (!this.isPayer() && this.caller !== this.state.owner) {
          throw new Revert('OnlyApiPayerOrOwner', this.caller);
        }
        if (newAdmin === NOBODY) throw invalid('admin wallet is zero');
        const account = this.masterNamed(hash);
        if (!account.managed) throw invalid('the account is ChainSecured already');
        this.checkNeverAdmin(newAdmin);
        const previous = account.admin;
        this.claimIdentity(newAdmin, account);
        this.handOver(account, newAdmin);
        account.managed = false;
        this.emit('AccountConvertedToChainSecured', account.masterHash, previous, newAdmin);
        return [];
      },
      transferChainSecuredAccountOwnership: (hash: bigint, newAdmin: Address) => {
        if (newAdmin === NOBODY) throw invalid('admin wallet is zero');
        const account = this.masterNamed(hash);
        if (account.managed) {
          throw invalid('the account is managed: convert it instead');
        }
        this.checkWriter(account, hash);
        if (newAdmin === account.admin) {
          throw invalid('the wallet is the admin wallet already');
        }
        this.checkNeverAdmin(newAdmin);
        const previous = account.admin;
        this.claimIdentity(newAdmin, account);
        this.handOver(account, newAdmin);
        this.emit('ChainSecuredAccountOwnershipTransferred', account.masterHash, previous, newAdmin);
        return [];
      },
    };
  }

  private usageKeyWrites(): Writes {
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
        this.checkLabels(name, description);
        this.checkLengths(50, ...groupIds);
        if (hash === 0n) throw invalid('usage key hash is zero');
        if (expiration > LATEST_EXPIRATION) {
          throw invalid('expiration is not in unix seconds');
        }
        const account = this.asMaster(accountHash);
        for (const id of groupIds.flat()) if (id !== 0n) this.group(account, accountHash, id);
        const found = this.named(hash);
        if (this.state.aliases.has(hash)) throw new Revert('AccountAlreadyExists', hash);
        if (found !== undefined && (found.usageKey === undefined || found.account !== account)) {
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
        this.emit('UsageApiKeySet', masterHash, hash, expiration, balance, name, description, permissions);
        return [];
      },
      updateUsageApiKeyMetadata: (accountHash: bigint, hash: bigint, name: string, description: string) => {
        this.checkLabels(name, description);
        const account = this.asMaster(accountHash);
        Object.assign(this.usageKey(account, accountHash, hash), { name, description });
        this.emit('UsageApiKeyMetadataUpdated', account.masterHash, hash, name, description);
        return [];
      },
      removeUsageApiKey: (accountHash: bigint, hash: bigint) => {
        const account = this.asMaster(accountHash);
        this.usageKey(account, accountHash, hash).removed = true;
        this.emit('UsageApiKeyRemoved', account.masterHash, hash);
        return [];
      },
    };
  }

  private groupWrites(): Writes {
    return {
      addGroup: (hash: bigint, name: string, description: string, cidHashes: bigint[], pkpIds: Address[]) => {
        this.checkLabels(name, description);
        this.checkLengths(10, cidHashes, pkpIds);
        const account = this.asPermitted(hash, (key) =>
          key.createGroups ? undefined : new Revert('NotAllowedToCreateGroup', hash),
        );
        const key = this.named(hash)?.usageKey;
        if (cidHashes.length > 0 && key?.manageIPFSIdsInGroups.has(0n) === false) {
          throw new Revert('NotAllowedToManageIPFSIdsInGroup', hash, 0n);
        }
        if (pkpIds.length > 0 && key?.addPkpToGroups.has(0n) === false) {
          throw new Revert('NotAllowedToAddPkpToGroup', hash, 0n);
        }
        const groupId = BigInt(account.groups.length) + 1n;
        const unknown = this.unknownActions(account, cidHashes);
        this.checkWallets(account, hash, groupId, pkpIds);
        this.addActions(account, unknown, '', '');
        account.groups.push({
          name,
          description,
          removed: false,
          actions: new Set(cidHashes),
          wallets: new Set(pkpIds),
        });
        this.emit('GroupAdded', account.masterHash, groupId, name, description, cidHashes, pkpIds);
        return [groupId];
      },
      updateGroup: (
        hash: bigint,
        groupId: bigint,
        name: string,
        description: string,
        cidHashes: bigint[],
        pkpIds: Address[],
      ) => {
        this.checkLabels(name, description);
        this.checkLengths(10, cidHashes, pkpIds);
        const account = this.asMaster(hash);
        const group = this.group(account, hash, groupId);
        const unknown = this.unknownActions(account, cidHashes);
        this.checkWallets(account, hash, groupId, pkpIds);
        this.addActions(account, unknown, '', '');
        Object.assign(group, {
          name,
          description,
          actions: new Set(cidHashes),
          wallets: new Set(pkpIds),
        });
        this.emit('GroupUpdated', account.masterHash, groupId, name, description, cidHashes, pkpIds);
        return [];
      },
      updateGroupMetadata: (hash: bigint, groupId: bigint, name: string, description: string) => {
        this.checkLabels(name, description);
        const account = this.asMaster(hash);
        Object.assign(this.group(account, hash, groupId), { name, description });
        this.emit('GroupMetadataUpdated', account.masterHash, groupId, name, description);
        return [];
      },
      removeGroup: (hash: bigint, groupId: bigint) => {
        const account = this.asPermitted(hash, (key) =>
          key.deleteGroups ? undefined : new Revert('NotAllowedToDeleteGroup', hash),
        );
        this.group(account, hash, groupId).removed = true;
        this.emit('GroupRemoved', account.masterHash, groupId);
        return [];
      },
    };
  }

  private actionWrites(): Writes {
    const asManager = (hash: bigint, groupId: bigint) =>
      this.asPermittedInGroup(hash, groupId, 'manageIPFSIdsInGroups', 'NotAllowedToManageIPFSIdsInGroup');
    return {
      addAction: (hash: bigint, name: string, description: string, actionHash: bigint) => {
        this.checkLabels(name, description);
        if (actionHash === 0n) throw invalid('action hash is zero');
        const account = this.asMaster(hash);
        if (live(account.actions).some((action) => action.hash === actionHash)) {
          throw new Revert('ActionAlreadyExists', hash, actionHash);
        }
        this.addActions(account, this.unknownActions(account, [actionHash]), name, description);
        return [];
      },
      removeAction: (hash: bigint, actionHash: bigint) => {
        const account = this.asMaster(hash);
        this.action(account, hash, actionHash).removed = true;
        for (const group of account.groups) group.actions.delete(actionHash);
        this.emit('ActionRemoved', account.masterHash, actionHash);
        return [];
      },
      updateActionMetadata: (
        hash: bigint,
        actionHash: bigint,
        groupId: bigint,
        name: string,
        description: string,
      ) => {
        this.checkLabels(name, description);
        const account = this.asMaster(hash);
        if (groupId !== 0n) {
          const { actions } = this.group(account, hash, groupId);
          // Hash 0 in a group means every action and is none itself.
          if (actionHash === 0n || !actions.has(actionHash)) {
            throw new Revert('ActionDoesNotExist', hash, groupId, actionHash);
          }
        }
        Object.assign(this.action(account, hash, actionHash), { name, description });
        this.emit('ActionMetadataUpdated', account.masterHash, actionHash, name, description);
        return [];
      },
      addActionToGroup: (hash: bigint, groupId: bigint, actionHash: bigint) => {
        const account = asManager(hash, groupId);
        const group = this.group(account, hash, groupId);
        this.addActions(account, this.unknownActions(account, [actionHash]), '', '');
        if (group.actions.has(actionHash)) return [];
        group.actions.add(actionHash);
        this.emit('ActionAddedToGroup', account.masterHash, groupId, actionHash);
        return [];
      },
      removeActionFromGroup: (hash: bigint, groupId: bigint, actionHash: bigint) => {
        const account = asManager(hash, groupId);
        if (!this.group(account, hash, groupId).actions.delete(actionHash)) {
          throw new Revert('ActionDoesNotExist', hash, groupId, actionHash);
        }
        this.emit('ActionRemovedFromGroup', account.masterHash, groupId, actionHash);
        return [];
      },
    };
  }

  private walletWrites(): Writes {
    return {
      registerWalletDerivation: (
        hash: bigint,
        pkpId: Address,
        derivationPath: bigint,
        name: string,
        description: string,
      ) => {
        this.checkLabels(name, description);
        if (pkpId === NOBODY) throw invalid('wallet is zero');
        if (derivationPath === 0n) throw invalid('derivation path is zero');
        const account = this.asPermitted(hash, (key) =>
          key.createPKPs ? undefined : new Revert('NotAllowedToCreatePkp', hash),
        );
        if (this.wallet(account, pkpId) !== undefined) throw new Revert('PkpAlreadyExists', hash, pkpId);
        this.checkPath(account, derivationPath);
        const known = [0n, ...live(account.wallets).map(({ address }) => BigInt(address))];
        if (known.some((other) => (other & LOWER_BITS) === (BigInt(pkpId) & LOWER_BITS))) {
          throw invalid('id collides');
        }
        this.state.pathOwners.set(derivationPath, account.masterHash);
        account.wallets.push({ address: pkpId, derivationPath, name, description, removed: false });
        this.state.pkpCount += 1n;
        const { masterHash } = account;
        this.emit('WalletDerivationRegistered', masterHash, pkpId, derivationPath, name, description);
        return [];
      },
      removeWalletDerivation: (hash: bigint, pkpId: Address) => {
        const account = this.asMaster(hash);
        const wallet = this.wallet(account, pkpId);
        if (wallet === undefined) throw new Revert('PkpDoesNotExist', hash, 0n, pkpId);
        wallet.removed = true;
        for (const group of account.groups) group.wallets.delete(pkpId);
        this.emit('WalletDerivationRemoved', account.masterHash, pkpId);
        return [];
      },
      addPkpToGroup: (hash: bigint, groupId: bigint, pkpId: Address) => {
        const account = this.asPermittedInGroup(hash, groupId, 'addPkpToGroups', 'NotAllowedToAddPkpToGroup');
        const group = this.group(account, hash, groupId);
        this.checkWallets(account, hash, groupId, [pkpId]);
        if (group.wallets.has(pkpId)) return [];
        group.wallets.add(pkpId);
        this.emit('PkpAddedToGroup', account.masterHash, groupId, pkpId);
        return [];
      },
      removePkpFromGroup: (hash: bigint, groupId: bigint, pkpId: Address) => {
        const account = this.asPermittedInGroup(
          hash,
          groupId,
          'removePkpFromGroups',
          'NotAllowedToRemovePkpFromGroup',
        );
        if (!this.group(account, hash, groupId).wallets.delete(pkpId)) {
          throw new Revert('PkpDoesNotExist', hash, groupId, pkpId);
        }
        this.emit('PkpRemovedFromGroup', account.masterHash, groupId, pkpId);
        return [];
      },
    };
  }

  /** A path of the account may be registered again; a free one has to be minted for whoever writes the account. */
  private checkPath(account: Account, path: bigint): void {
    const owner = this.state.pathOwners.get(path);
    if (owner === account.masterHash) return;
    if (owner !== undefined) throw new Revert('DerivationPathAlreadyRegistered', path);
    const mintedFor = account.managed ? NOBODY : this.caller;
    if (path >> 96n !== BigInt(mintedFor)) throw new Revert('DerivationPathNotMintedFor', path, mintedFor);
  }

  private configurationWrites(): Writes {
    const { checkConfigOperatorOrOwner, checkPricingOperatorOrOwner } = this;
    const set = (check: () => void, field: keyof State, event: string) => (value: Address) => {
      check.call(this);
      Object.assign(this.state, { [field]: value });
      this.emit(event, value);
      return [];
    };
    return {
      setAdminApiPayerAccount: set(checkConfigOperatorOrOwner, 'adminApiPayer', 'AdminApiPayerAccountSet'),
      setConfigOperator: set(checkConfigOperatorOrOwner, 'configOperator', 'ConfigOperatorSet'),
      setPricingOperator: set(checkPricingOperatorOrOwner, 'pricingOperator', 'PricingOperatorSet'),
      setApiPayers: (payers: Address[]) => {
        this.checkOwner();
        if (payers.length > 50) throw invalid('more than 50 api payers');
        for (const [i, payer] of payers.entries()) {
          if (payer === NOBODY) throw invalid('api payer is zero');
          if (payers.indexOf(payer) < i) throw invalid('api payer is given twice');
        }
        this.state.apiPayers = [...payers];
        this.emit('ApiPayersSet', payers);
        return [];
      },
      setNodeConfiguration: (key: string, value: string) => {
        this.checkConfigOperatorOrOwner();
        const length = Buffer.byteLength(key);
        if (length < 1 || length > 128) throw invalid('key not in 1 to 128 bytes');
        if (Buffer.byteLength(value) > 1024) throw invalid('value over 1024 bytes');
        const { nodeConfiguration } = this.state;
        if (value === '') nodeConfiguration.delete(key);
        else if (!nodeConfiguration.has(key) && nodeConfiguration.size >= 100) {
          throw invalid('more than 100 keys');
        } else nodeConfiguration.set(key, value);
        this.emit('NodeConfigurationSet', key, value);
        return [];
      },
      setPricing: (item: bigint, price: bigint) => {
        this.checkPricingOperatorOrOwner();
        this.state.prices.set(item, price);
        this.emit('PricingSet', item, price);
        return [];
      },
      transferOwnership: (newOwner: Address) => {
        this.checkOwner();
        this.state.pendingOwner = newOwner;
        this.emit('OwnershipTransferStarted', this.state.owner, newOwner);
        return [];
      },
      acceptOwnership: () => {
        const { owner, pendingOwner } = this.state;
        if (this.caller !== pendingOwner) throw new Revert('OnlyPendingOwner', this.caller);
        Object.assign(this.state, { owner: pendingOwner, pendingOwner: NOBODY });
        this.emit('OwnershipTransferred', owner, pendingOwner);
        return [];
      },
    };
  }
}
