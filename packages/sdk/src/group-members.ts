/** Adds actions and wallets to groups, and removes them. */
import type { Address } from 'viem';
import { describeContents, type GroupContents, hashesOf } from './group-contents.ts';
import { asText, cidHash, word } from './values.ts';
import { defineWrite } from './write.ts';
import { encodeWrite } from './write-definition.ts';

export interface ActionInGroupParameters {
  groupId: bigint;
  /** The CID, or its hash from a list; the hash 0 means every action. */
  cid: string | bigint;
}

/**
 * Adds an action to a group. An unknown action is registered with empty labels.
 * @function
 */
export const addActionToGroup = /* @__PURE__ */ defineWrite({
  name: 'addActionToGroup',
  changes: ({ groupId, cid }: ActionInGroupParameters) => [
    `Adds the action ${asText(cid)} to the group ${groupId}.`,
  ],
  api: {
    // add_action_to_group does not take a hash.
    path: '/core/v1/add_to_group',
    body: ({ groupId, cid }) => ({
      group_id: String(groupId),
      cid_hashes: [word(cidHash(cid))],
      pkp_ids: [],
    }),
  },
  chain: {
    calls: (account, { groupId, cid }) => [encodeWrite('addActionToGroup', [account, groupId, cidHash(cid)])],
  },
});

/**
 * Removes an action from a group.
 * @function
 */
export const removeActionFromGroup = /* @__PURE__ */ defineWrite({
  name: 'removeActionFromGroup',
  changes: ({ groupId, cid }: ActionInGroupParameters) => [
    `Removes the action ${asText(cid)} from the group ${groupId}.`,
  ],
  api: {
    path: '/core/v1/remove_action_from_group',
    body: ({ groupId, cid }) => ({ group_id: String(groupId), hashed_cid: word(cidHash(cid)) }),
  },
  chain: {
    calls: (account, { groupId, cid }) => [
      encodeWrite('removeActionFromGroup', [account, groupId, cidHash(cid)]),
    ],
  },
});

export interface PkpInGroupParameters {
  groupId: bigint;
  /** Address of the wallet; the zero address means every wallet of the account. */
  pkpId: Address;
}

/**
 * Adds a wallet of the account to a group.
 * @function
 */
export const addPkpToGroup = /* @__PURE__ */ defineWrite({
  name: 'addPkpToGroup',
  changes: ({ groupId, pkpId }: PkpInGroupParameters) => [
    `Adds the wallet ${pkpId} to the group ${groupId}.`,
  ],
  api: {
    path: '/core/v1/add_pkp_to_group',
    body: ({ groupId, pkpId }) => ({ group_id: String(groupId), pkp_id: pkpId }),
  },
  chain: {
    calls: (account, { groupId, pkpId }) => [encodeWrite('addPkpToGroup', [account, groupId, pkpId])],
  },
});

/**
 * Removes a wallet from a group.
 * @function
 */
export const removePkpFromGroup = /* @__PURE__ */ defineWrite({
  name: 'removePkpFromGroup',
  changes: ({ groupId, pkpId }: PkpInGroupParameters) => [
    `Removes the wallet ${pkpId} from the group ${groupId}.`,
  ],
  api: {
    path: '/core/v1/remove_pkp_from_group',
    body: ({ groupId, pkpId }) => ({ group_id: String(groupId), pkp_id: pkpId }),
  },
  chain: {
    calls: (account, { groupId, pkpId }) => [encodeWrite('removePkpFromGroup', [account, groupId, pkpId])],
  },
});

/** At least one action or wallet. */
export interface GroupMembersParameters extends GroupContents {
  groupId: bigint;
}

/** Returns the write of several members. `verb` begins its description. */
function membersWrite(
  name: 'addToGroup' | 'removeFromGroup',
  path: '/core/v1/add_to_group' | '/core/v1/remove_from_group',
  verb: string,
) {
  return defineWrite({
    name,
    changes: ({ groupId, ...contents }: GroupMembersParameters) => [
      `${verb} the group ${groupId}: ${describeContents(contents)}.`,
    ],
    api: {
      path,
      body: ({ groupId, pkpIds = [], ...contents }) => ({
        group_id: String(groupId),
        cid_hashes: hashesOf(contents).map(word),
        pkp_ids: [...pkpIds],
      }),
    },
    chain: {
      calls: (account, { groupId, pkpIds = [], ...contents }) => [
        encodeWrite(name, [account, groupId, hashesOf(contents), pkpIds]),
      ],
    },
  });
}

/**
 * Adds actions and wallets to a group, all or none of them. An unknown action is registered with empty labels.
 * @function
 */
export const addToGroup = /* @__PURE__ */ membersWrite('addToGroup', '/core/v1/add_to_group', 'Adds to');

/**
 * Removes actions and wallets from a group, all or none of them.
 * @function
 */
export const removeFromGroup = /* @__PURE__ */ membersWrite(
  'removeFromGroup',
  '/core/v1/remove_from_group',
  'Removes from',
);
