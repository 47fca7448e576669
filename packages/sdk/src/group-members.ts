/** Adds actions and wallets to groups, and removes them. */
import type { Address } from 'viem';
import { describeContents, type GroupContents, hashesOf } from './group-contents.ts';
import { asText, cidHash, word } from './values.ts';
import { prepareFunction, writeFunction } from './write.ts';
import { encodeWrite, type Write } from './write-definition.ts';

export interface ActionInGroupParameters {
  groupId: bigint;
  /** The CID, or its hash from a list; the hash 0 means every action. */
  cid: string | bigint;
}

const addActionToGroupWrite: Write<ActionInGroupParameters, object, '/core/v1/add_to_group'> = {
  name: 'addActionToGroup',
  changes: ({ groupId, cid }) => [`Adds the action ${asText(cid)} to the group ${groupId}.`],
  api: {
    // add_action_to_group does not take a hash.
    path: '/core/v1/add_to_group',
    body: ({ groupId, cid }) => ({
      group_id: String(groupId),
      cid_hashes: [word(cidHash(cid))],
      pkp_ids: [],
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, cid }) => [encodeWrite('addActionToGroup', [account, groupId, cidHash(cid)])],
    result: () => ({}),
  },
};

/**
 * Adds an action to a group. An unknown action is registered with empty labels.
 * @function
 */
export const addActionToGroup = /* @__PURE__ */ writeFunction(addActionToGroupWrite);

/** Prepares {@link addActionToGroup} without sending it. @function */
export const prepareAddActionToGroup = /* @__PURE__ */ prepareFunction(addActionToGroupWrite);

const removeActionFromGroupWrite: Write<
  ActionInGroupParameters,
  object,
  '/core/v1/remove_action_from_group'
> = {
  name: 'removeActionFromGroup',
  changes: ({ groupId, cid }) => [`Removes the action ${asText(cid)} from the group ${groupId}.`],
  api: {
    path: '/core/v1/remove_action_from_group',
    body: ({ groupId, cid }) => ({ group_id: String(groupId), hashed_cid: word(cidHash(cid)) }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, cid }) => [
      encodeWrite('removeActionFromGroup', [account, groupId, cidHash(cid)]),
    ],
    result: () => ({}),
  },
};

/**
 * Removes an action from a group.
 * @function
 */
export const removeActionFromGroup = /* @__PURE__ */ writeFunction(removeActionFromGroupWrite);

/** Prepares {@link removeActionFromGroup} without sending it. @function */
export const prepareRemoveActionFromGroup = /* @__PURE__ */ prepareFunction(removeActionFromGroupWrite);

export interface PkpInGroupParameters {
  groupId: bigint;
  /** Address of the wallet; the zero address means every wallet of the account. */
  pkpId: Address;
}

const addPkpToGroupWrite: Write<PkpInGroupParameters, object, '/core/v1/add_pkp_to_group'> = {
  name: 'addPkpToGroup',
  changes: ({ groupId, pkpId }) => [`Adds the wallet ${pkpId} to the group ${groupId}.`],
  api: {
    path: '/core/v1/add_pkp_to_group',
    body: ({ groupId, pkpId }) => ({ group_id: String(groupId), pkp_id: pkpId }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, pkpId }) => [encodeWrite('addPkpToGroup', [account, groupId, pkpId])],
    result: () => ({}),
  },
};

/**
 * Adds a wallet of the account to a group.
 * @function
 */
export const addPkpToGroup = /* @__PURE__ */ writeFunction(addPkpToGroupWrite);

/** Prepares {@link addPkpToGroup} without sending it. @function */
export const prepareAddPkpToGroup = /* @__PURE__ */ prepareFunction(addPkpToGroupWrite);

const removePkpFromGroupWrite: Write<PkpInGroupParameters, object, '/core/v1/remove_pkp_from_group'> = {
  name: 'removePkpFromGroup',
  changes: ({ groupId, pkpId }) => [`Removes the wallet ${pkpId} from the group ${groupId}.`],
  api: {
    path: '/core/v1/remove_pkp_from_group',
    body: ({ groupId, pkpId }) => ({ group_id: String(groupId), pkp_id: pkpId }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, pkpId }) => [encodeWrite('removePkpFromGroup', [account, groupId, pkpId])],
    result: () => ({}),
  },
};

/**
 * Removes a wallet from a group.
 * @function
 */
export const removePkpFromGroup = /* @__PURE__ */ writeFunction(removePkpFromGroupWrite);

/** Prepares {@link removePkpFromGroup} without sending it. @function */
export const prepareRemovePkpFromGroup = /* @__PURE__ */ prepareFunction(removePkpFromGroupWrite);

/** At least one action or wallet. */
export interface GroupMembersParameters extends GroupContents {
  groupId: bigint;
}

type MembersPath = '/core/v1/add_to_group' | '/core/v1/remove_from_group';

/** Returns the write of several members. `verb` begins its description. */
function membersWrite(
  name: 'addToGroup' | 'removeFromGroup',
  path: MembersPath,
  verb: string,
): Write<GroupMembersParameters, object, MembersPath> {
  return {
    name,
    changes: ({ groupId, ...contents }) => [`${verb} the group ${groupId}: ${describeContents(contents)}.`],
    api: {
      path,
      body: ({ groupId, pkpIds = [], ...contents }) => ({
        group_id: String(groupId),
        cid_hashes: hashesOf(contents).map(word),
        pkp_ids: [...pkpIds],
      }),
      result: () => ({}),
    },
    chain: {
      calls: (account, { groupId, pkpIds = [], ...contents }) => [
        encodeWrite(name, [account, groupId, hashesOf(contents), pkpIds]),
      ],
      result: () => ({}),
    },
  };
}

const addToGroupWrite = /* @__PURE__ */ membersWrite('addToGroup', '/core/v1/add_to_group', 'Adds to');

/**
 * Adds actions and wallets to a group, all or none of them. An unknown action is registered with empty labels.
 * @function
 */
export const addToGroup = /* @__PURE__ */ writeFunction(addToGroupWrite);

/** Prepares {@link addToGroup} without sending it. @function */
export const prepareAddToGroup = /* @__PURE__ */ prepareFunction(addToGroupWrite);

const removeFromGroupWrite = /* @__PURE__ */ membersWrite(
  'removeFromGroup',
  '/core/v1/remove_from_group',
  'Removes from',
);

/**
 * Removes actions and wallets from a group, all or none of them.
 * @function
 */
export const removeFromGroup = /* @__PURE__ */ writeFunction(removeFromGroupWrite);

/** Prepares {@link removeFromGroup} without sending it. @function */
export const prepareRemoveFromGroup = /* @__PURE__ */ prepareFunction(removeFromGroupWrite);
