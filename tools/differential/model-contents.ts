/** Writes of groups, actions and wallets on the model. */
import type { Address } from 'viem';
import { LOWER_BITS, type Model, Revert, type Writes } from './model.ts';
import { type Account, live, NOBODY } from './state.ts';

export function groupWrites(model: Model): Writes {
  return {
    addGroup: (hash: bigint, name: string, description: string, cidHashes: bigint[], pkpIds: Address[]) => {
      model.checkLabels(name, description);
      model.checkLengths('TooManyGroupEntries', 10, [cidHashes, pkpIds]);
      const account = model.asPermitted(hash, (key) =>
        key.createGroups ? undefined : new Revert('NotAllowedToCreateGroup', hash),
      );
      const key = model.named(hash)?.usageKey;
      if (cidHashes.length > 0 && key?.manageIPFSIdsInGroups.has(0n) === false) {
        throw new Revert('NotAllowedToManageIPFSIdsInGroup', hash, 0n);
      }
      if (pkpIds.length > 0 && key?.addPkpToGroups.has(0n) === false) {
        throw new Revert('NotAllowedToAddPkpToGroup', hash, 0n);
      }
      const groupId = BigInt(account.groups.length) + 1n;
      const unknown = unknownActions(account, cidHashes);
      checkWallets(account, hash, groupId, pkpIds);
      addActions(model, account, unknown, '', '');
      account.groups.push({
        name,
        description,
        removed: false,
        actions: new Set(cidHashes),
        wallets: new Set(pkpIds),
      });
      model.emit('GroupAdded', account.masterHash, groupId, name, description, cidHashes, pkpIds);
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
      model.checkLabels(name, description);
      model.checkLengths('TooManyGroupEntries', 10, [cidHashes, pkpIds]);
      const account = model.asMaster(hash);
      const group = model.group(account, hash, groupId);
      const unknown = unknownActions(account, cidHashes);
      checkWallets(account, hash, groupId, pkpIds);
      addActions(model, account, unknown, '', '');
      Object.assign(group, {
        name,
        description,
        actions: new Set(cidHashes),
        wallets: new Set(pkpIds),
      });
      model.emit('GroupUpdated', account.masterHash, groupId, name, description, cidHashes, pkpIds);
      return [];
    },
    updateGroupMetadata: (hash: bigint, groupId: bigint, name: string, description: string) => {
      model.checkLabels(name, description);
      const account = model.asMaster(hash);
      Object.assign(model.group(account, hash, groupId), { name, description });
      model.emit('GroupMetadataUpdated', account.masterHash, groupId, name, description);
      return [];
    },
    removeGroup: (hash: bigint, groupId: bigint) => {
      const account = model.asPermitted(hash, (key) =>
        key.deleteGroups ? undefined : new Revert('NotAllowedToDeleteGroup', hash),
      );
      model.group(account, hash, groupId).removed = true;
      model.emit('GroupRemoved', account.masterHash, groupId);
      return [];
    },
  };
}

export function actionWrites(model: Model): Writes {
  const asManager = (hash: bigint, groupId: bigint) =>
    model.asPermittedInGroup(hash, groupId, 'manageIPFSIdsInGroups', 'NotAllowedToManageIPFSIdsInGroup');
  return {
    addAction: (hash: bigint, name: string, description: string, actionHash: bigint) => {
      model.checkLabels(name, description);
      if (actionHash === 0n) throw new Revert('ActionHashIsZero');
      const account = model.asMaster(hash);
      if (live(account.actions).some((action) => action.hash === actionHash)) {
        throw new Revert('ActionAlreadyExists', hash, actionHash);
      }
      const lookAlike = live(account.actions).find(
        (action) => (action.hash & LOWER_BITS) === (actionHash & LOWER_BITS),
      );
      if (lookAlike !== undefined) removeAction(model, account, lookAlike);
      addActions(model, account, unknownActions(account, [actionHash]), name, description);
      return [];
    },
    removeAction: (hash: bigint, actionHash: bigint) => {
      const account = model.asMaster(hash);
      removeAction(model, account, actionOf(account, hash, actionHash));
      return [];
    },
    updateActionMetadata: (
      hash: bigint,
      actionHash: bigint,
      groupId: bigint,
      name: string,
      description: string,
    ) => {
      model.checkLabels(name, description);
      const account = model.asMaster(hash);
      if (groupId !== 0n) {
        const { actions } = model.group(account, hash, groupId);
        // Hash 0 in a group means every action and is not an action itself.
        if (actionHash === 0n || !actions.has(actionHash)) {
          throw new Revert('ActionDoesNotExist', hash, groupId, actionHash);
        }
      }
      Object.assign(actionOf(account, hash, actionHash), { name, description });
      model.emit('ActionMetadataUpdated', account.masterHash, actionHash, name, description);
      return [];
    },
    addActionToGroup: (hash: bigint, groupId: bigint, actionHash: bigint) => {
      const account = asManager(hash, groupId);
      const group = model.group(account, hash, groupId);
      addActions(model, account, unknownActions(account, [actionHash]), '', '');
      if (group.actions.has(actionHash)) return [];
      group.actions.add(actionHash);
      model.emit('ActionAddedToGroup', account.masterHash, groupId, actionHash);
      return [];
    },
    removeActionFromGroup: (hash: bigint, groupId: bigint, actionHash: bigint) => {
      const account = asManager(hash, groupId);
      if (!model.group(account, hash, groupId).actions.delete(actionHash)) {
        throw new Revert('ActionDoesNotExist', hash, groupId, actionHash);
      }
      model.emit('ActionRemovedFromGroup', account.masterHash, groupId, actionHash);
      return [];
    },
  };
}

export function memberWrites(model: Model): Writes {
  /** Returns the group for a caller that may change these members of it. */
  function groupFor(
    hash: bigint,
    groupId: bigint,
    cidHashes: bigint[],
    pkpIds: Address[],
    list: 'addPkpToGroups' | 'removePkpFromGroups',
    error: string,
  ) {
    model.checkLengths('TooManyGroupEntries', 10, [cidHashes, pkpIds]);
    const account = model.asPermitted(hash, (key) => {
      const lacks = (list: 'addPkpToGroups' | 'removePkpFromGroups' | 'manageIPFSIdsInGroups') =>
        !key[list].has(0n) && !key[list].has(groupId);
      if (cidHashes.length > 0 && lacks('manageIPFSIdsInGroups')) {
        return new Revert('NotAllowedToManageIPFSIdsInGroup', hash, groupId);
      }
      return pkpIds.length > 0 && lacks(list) ? new Revert(error, hash, groupId) : undefined;
    });
    return { account, group: model.group(account, hash, groupId) };
  }
  return {
    addToGroup: (hash: bigint, groupId: bigint, cidHashes: bigint[], pkpIds: Address[]) => {
      const error = 'NotAllowedToAddPkpToGroup';
      const { account, group } = groupFor(hash, groupId, cidHashes, pkpIds, 'addPkpToGroups', error);
      unknownActions(account, cidHashes);
      checkWallets(account, hash, groupId, pkpIds);
      for (const cid of cidHashes) {
        addActions(model, account, unknownActions(account, [cid]), '', '');
        if (group.actions.has(cid)) continue;
        group.actions.add(cid);
        model.emit('ActionAddedToGroup', account.masterHash, groupId, cid);
      }
      for (const pkpId of pkpIds) {
        if (group.wallets.has(pkpId)) continue;
        group.wallets.add(pkpId);
        model.emit('PkpAddedToGroup', account.masterHash, groupId, pkpId);
      }
      return [];
    },
    removeFromGroup: (hash: bigint, groupId: bigint, cidHashes: bigint[], pkpIds: Address[]) => {
      const error = 'NotAllowedToRemovePkpFromGroup';
      const { account, group } = groupFor(hash, groupId, cidHashes, pkpIds, 'removePkpFromGroups', error);
      const [actions, wallets] = [new Set(group.actions), new Set(group.wallets)];
      for (const cid of cidHashes) {
        if (!actions.delete(cid)) throw new Revert('ActionDoesNotExist', hash, groupId, cid);
      }
      for (const pkpId of pkpIds) {
        if (!wallets.delete(pkpId)) throw new Revert('PkpDoesNotExist', hash, groupId, pkpId);
      }
      Object.assign(group, { actions, wallets });
      for (const cid of cidHashes) model.emit('ActionRemovedFromGroup', account.masterHash, groupId, cid);
      for (const pkpId of pkpIds) model.emit('PkpRemovedFromGroup', account.masterHash, groupId, pkpId);
      return [];
    },
  };
}

export function walletWrites(model: Model): Writes {
  return {
    registerWalletDerivation: (
      hash: bigint,
      pkpId: Address,
      derivationPath: bigint,
      name: string,
      description: string,
    ) => {
      model.checkLabels(name, description);
      if (pkpId === NOBODY) throw new Revert('PkpIsZero');
      if (derivationPath === 0n) throw new Revert('DerivationPathIsZero');
      const account = model.asPermitted(hash, (key) =>
        key.createPKPs ? undefined : new Revert('NotAllowedToCreatePkp', hash),
      );
      if (findWallet(account, pkpId) !== undefined) throw new Revert('PkpAlreadyExists', hash, pkpId);
      const isNew = checkPath(model, account, derivationPath, pkpId);
      const known = [0n, ...live(account.wallets).map(({ address }) => BigInt(address))];
      if (known.some((other) => (other & LOWER_BITS) === (BigInt(pkpId) & LOWER_BITS))) {
        throw new Revert('IdCollision', BigInt(pkpId));
      }
      model.state.pathOwners.set(derivationPath, account.masterHash);
      account.wallets.push({ address: pkpId, derivationPath, name, description, removed: false });
      if (isNew) model.state.pkpCount += 1n;
      const { masterHash } = account;
      model.emit('WalletDerivationRegistered', masterHash, pkpId, derivationPath, name, description);
      return [];
    },
    removeWalletDerivation: (hash: bigint, pkpId: Address) => {
      const account = model.asMaster(hash);
      const wallet = findWallet(account, pkpId);
      if (wallet === undefined) throw new Revert('PkpDoesNotExist', hash, 0n, pkpId);
      wallet.removed = true;
      for (const group of account.groups) group.wallets.delete(pkpId);
      model.emit('WalletDerivationRemoved', account.masterHash, pkpId);
      return [];
    },
    addPkpToGroup: (hash: bigint, groupId: bigint, pkpId: Address) => {
      const account = model.asPermittedInGroup(hash, groupId, 'addPkpToGroups', 'NotAllowedToAddPkpToGroup');
      const group = model.group(account, hash, groupId);
      checkWallets(account, hash, groupId, [pkpId]);
      if (group.wallets.has(pkpId)) return [];
      group.wallets.add(pkpId);
      model.emit('PkpAddedToGroup', account.masterHash, groupId, pkpId);
      return [];
    },
    removePkpFromGroup: (hash: bigint, groupId: bigint, pkpId: Address) => {
      const account = model.asPermittedInGroup(
        hash,
        groupId,
        'removePkpFromGroups',
        'NotAllowedToRemovePkpFromGroup',
      );
      if (!model.group(account, hash, groupId).wallets.delete(pkpId)) {
        throw new Revert('PkpDoesNotExist', hash, groupId, pkpId);
      }
      model.emit('PkpRemovedFromGroup', account.masterHash, groupId, pkpId);
      return [];
    },
  };
}

/** Returns the CID hashes that the account lacks, without duplicates. */
function unknownActions(account: Account, cidHashes: bigint[]): bigint[] {
  const added: bigint[] = [];
  for (const hash of cidHashes) {
    const known = [0n, ...live(account.actions).map((action) => action.hash), ...added];
    if (known.includes(hash)) continue;
    if (known.some((other) => (other & LOWER_BITS) === (hash & LOWER_BITS))) {
      throw new Revert('IdCollision', hash);
    }
    added.push(hash);
  }
  return added;
}

function addActions(
  model: Model,
  account: Account,
  hashes: bigint[],
  name: string,
  description: string,
): void {
  for (const hash of hashes) {
    account.actions.push({ hash, name, description, removed: false });
    model.emit('ActionAdded', account.masterHash, hash, name, description);
  }
}

function removeAction(model: Model, account: Account, action: Account['actions'][number]): void {
  action.removed = true;
  for (const group of account.groups) group.actions.delete(action.hash);
  model.emit('ActionRemoved', account.masterHash, action.hash);
}

function findWallet(account: Account, address: Address) {
  return live(account.wallets).find((wallet) => wallet.address === address);
}

function checkWallets(account: Account, apiKeyHash: bigint, groupId: bigint, pkpIds: Address[]): void {
  for (const pkpId of pkpIds) {
    if (pkpId !== NOBODY && findWallet(account, pkpId) === undefined) {
      throw new Revert('PkpDoesNotExist', apiKeyHash, groupId, pkpId);
    }
  }
}

function actionOf(account: Account, apiKeyHash: bigint, hash: bigint) {
  const action = live(account.actions).find((action) => action.hash === hash);
  if (action === undefined) throw new Revert('ActionDoesNotExist', apiKeyHash, 0n, hash);
  return action;
}

/**
 * Reverts unless the path belongs to the account and its wallet is this one, or is free and was minted for the writer of
 * the account. Returns false for a path that belongs to the account.
 */
function checkPath(model: Model, account: Account, path: bigint, pkpId: Address): boolean {
  const owner = model.state.pathOwners.get(path);
  if (owner !== undefined) {
    const former = account.wallets.find(({ derivationPath }) => derivationPath === path);
    const isSame = former !== undefined && ((BigInt(former.address) ^ BigInt(pkpId)) & LOWER_BITS) === 0n;
    if (owner === account.masterHash && isSame) return false;
    throw new Revert('DerivationPathAlreadyRegistered', path);
  }
  const mintedFor = account.managed ? NOBODY : model.caller;
  if (path >> 96n !== BigInt(mintedFor)) throw new Revert('DerivationPathNotMintedFor', path, mintedFor);
  return true;
}
