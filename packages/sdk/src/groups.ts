import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { actionHash, labelled, listed, word } from './values.ts';
import { encodeWrite, prepareFunction, type Write, writeFunction } from './write.ts';

/** The actions and wallets of a group. */
export interface GroupContents {
  /** Wallets, at most 10; the zero address permits every wallet of the account. */
  pkpIdsPermitted?: readonly Address[] | undefined;
  /** Hashes of CIDs (`cidHash`), at most 10; 0 permits every action. An unknown action is registered with empty labels. */
  cidHashesPermitted?: readonly bigint[] | undefined;
}

const describeContents = ({ pkpIdsPermitted = [], cidHashesPermitted = [] }: GroupContents): string =>
  `${listed(cidHashesPermitted, 'action')}; ${listed(pkpIdsPermitted, 'wallet')}`;
const contentsToWire = ({ pkpIdsPermitted = [], cidHashesPermitted = [] }: GroupContents) => ({
  pkp_ids_permitted: [...pkpIdsPermitted],
  cid_hashes_permitted: cidHashesPermitted.map(word),
});

export interface AddGroupParameters extends GroupContents {
  /** At most 128 bytes. */
  groupName: string;
  /** At most 1,024 bytes. */
  groupDescription: string;
}

export interface AddGroupResult {
  groupId: bigint;
}

const addGroupWrite: Write<AddGroupParameters, AddGroupResult, '/core/v1/add_group'> = {
  name: 'addGroup',
  changes: (parameters) => [
    `Creates the group ${labelled(parameters.groupName, parameters.groupDescription)} with ${describeContents(parameters)}.`,
  ],
  api: {
    path: '/core/v1/add_group',
    body: (parameters) => ({
      group_name: parameters.groupName,
      group_description: parameters.groupDescription,
      ...contentsToWire(parameters),
    }),
    result: ({ group_id }) => ({ groupId: BigInt(group_id) }),
  },
  chain: {
    calls: (account, { groupName, groupDescription, cidHashesPermitted = [], pkpIdsPermitted = [] }) => [
      encodeWrite('addGroup', [account, groupName, groupDescription, cidHashesPermitted, pkpIdsPermitted]),
    ],
    result: (take) => ({ groupId: take('GroupAdded').groupId }),
  },
};

/**
 * Creates a group: which actions can use which wallets.
 * @function
 */
export const addGroup = /* @__PURE__ */ writeFunction(addGroupWrite);

/**
 * Prepares {@link addGroup} without sending it.
 * @function
 */
export const prepareAddGroup = /* @__PURE__ */ prepareFunction(addGroupWrite);

export interface UpdateGroupParameters {
  groupId: bigint;
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
  /** Wallets, at most 10; the zero address permits every wallet of the account. */
  pkpIdsPermitted: readonly Address[];
  /** Hashes of CIDs, at most 10; 0 permits every action. */
  cidHashesPermitted: readonly bigint[];
}

const updateGroupWrite: Write<UpdateGroupParameters, object, '/core/v1/update_group'> = {
  name: 'updateGroup',
  changes: (parameters) => [
    `Replaces the group ${parameters.groupId}: it becomes ${labelled(parameters.name, parameters.description)} ` +
      `with ${describeContents(parameters)}.`,
  ],
  api: {
    path: '/core/v1/update_group',
    body: (parameters) => ({
      group_id: String(parameters.groupId),
      name: parameters.name,
      description: parameters.description,
      ...contentsToWire(parameters),
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, name, description, cidHashesPermitted, pkpIdsPermitted }) => [
      encodeWrite('updateGroup', [account, groupId, name, description, cidHashesPermitted, pkpIdsPermitted]),
    ],
    result: () => ({}),
  },
};

/**
 * Replaces labels and contents of a group.
 * @function
 */
export const updateGroup = /* @__PURE__ */ writeFunction(updateGroupWrite);

/**
 * Prepares {@link updateGroup} without sending it.
 * @function
 */
export const prepareUpdateGroup = /* @__PURE__ */ prepareFunction(updateGroupWrite);

export interface RemoveGroupParameters {
  groupId: bigint;
}

const removeGroupWrite: Write<RemoveGroupParameters, object, '/core/v1/remove_group'> = {
  name: 'removeGroup',
  changes: ({ groupId }) => [`Removes the group ${groupId}, also from every usage key.`],
  api: {
    path: '/core/v1/remove_group',
    body: ({ groupId }) => ({ group_id: String(groupId) }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId }) => [encodeWrite('removeGroup', [account, groupId])],
    result: () => ({}),
  },
};

/**
 * Removes a group. Its id is never reused.
 * @function
 */
export const removeGroup = /* @__PURE__ */ writeFunction(removeGroupWrite);

/**
 * Prepares {@link removeGroup} without sending it.
 * @function
 */
export const prepareRemoveGroup = /* @__PURE__ */ prepareFunction(removeGroupWrite);

export interface AddActionToGroupParameters {
  groupId: bigint;
  /** The CID itself, as text. */
  actionIpfsCid: string;
}

const addActionToGroupWrite: Write<AddActionToGroupParameters, object, '/core/v1/add_action_to_group'> = {
  name: 'addActionToGroup',
  changes: ({ groupId, actionIpfsCid }) => [`Adds the action ${actionIpfsCid} to the group ${groupId}.`],
  api: {
    path: '/core/v1/add_action_to_group',
    body: ({ groupId, actionIpfsCid }) => ({ group_id: String(groupId), action_ipfs_cid: actionIpfsCid }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, actionIpfsCid }) => [
      encodeWrite('addActionToGroup', [account, groupId, actionHash(actionIpfsCid)]),
    ],
    result: () => ({}),
  },
};

/**
 * Adds an action to a group. An unknown action is registered with empty labels.
 * @function
 */
export const addActionToGroup = /* @__PURE__ */ writeFunction(addActionToGroupWrite);

/**
 * Prepares {@link addActionToGroup} without sending it.
 * @function
 */
export const prepareAddActionToGroup = /* @__PURE__ */ prepareFunction(addActionToGroupWrite);

export interface RemoveActionFromGroupParameters {
  groupId: bigint;
  /** Hash of the CID. */
  hashedCid: bigint;
}

const removeActionFromGroupWrite: Write<
  RemoveActionFromGroupParameters,
  object,
  '/core/v1/remove_action_from_group'
> = {
  name: 'removeActionFromGroup',
  changes: ({ groupId, hashedCid }) => [`Removes the action ${word(hashedCid)} from the group ${groupId}.`],
  api: {
    path: '/core/v1/remove_action_from_group',
    body: ({ groupId, hashedCid }) => ({ group_id: String(groupId), hashed_cid: word(hashedCid) }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, hashedCid }) => [
      encodeWrite('removeActionFromGroup', [account, groupId, hashedCid]),
    ],
    result: () => ({}),
  },
};

/**
 * Removes an action from a group.
 * @function
 */
export const removeActionFromGroup = /* @__PURE__ */ writeFunction(removeActionFromGroupWrite);

/**
 * Prepares {@link removeActionFromGroup} without sending it.
 * @function
 */
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

/**
 * Prepares {@link addPkpToGroup} without sending it.
 * @function
 */
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

/**
 * Prepares {@link removePkpFromGroup} without sending it.
 * @function
 */
export const prepareRemovePkpFromGroup = /* @__PURE__ */ prepareFunction(removePkpFromGroupWrite);

/** At least one action or wallet. */
export interface GroupMembersParameters {
  groupId: bigint;
  /** Hashes of CIDs, at most 10; 0 means every action. */
  cidHashes?: readonly bigint[] | undefined;
  /** Addresses of wallets, at most 10; the zero address means every wallet of the account. */
  pkpIds?: readonly Address[] | undefined;
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
    changes: ({ groupId, cidHashes = [], pkpIds = [] }) => [
      `${verb} the group ${groupId}: ${listed(cidHashes, 'action')}; ${listed(pkpIds, 'wallet')}.`,
    ],
    api: {
      path,
      body: ({ groupId, cidHashes = [], pkpIds = [] }) => ({
        group_id: String(groupId),
        cid_hashes: cidHashes.map(word),
        pkp_ids: [...pkpIds],
      }),
      result: () => ({}),
    },
    chain: {
      calls: (account, { groupId, cidHashes = [], pkpIds = [] }) => [
        encodeWrite(name, [account, groupId, cidHashes, pkpIds]),
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

/**
 * Prepares {@link addToGroup} without sending it.
 * @function
 */
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

/**
 * Prepares {@link removeFromGroup} without sending it.
 * @function
 */
export const prepareRemoveFromGroup = /* @__PURE__ */ prepareFunction(removeFromGroupWrite);

/** A listed group. */
export type Group<client extends BareClient = BareClient> = Labels<client> & {
  groupId: bigint;
  /** Hashes of CIDs; 0, which is first, means every action. A chain read returns at most the first 1,000. */
  cidHashesPermitted: bigint[];
  /**
   * Addresses of wallets; the zero address, which is first, means every wallet of the account. A chain read returns at
   * most the first 1,000.
   */
  pkpIdsPermitted: Address[];
};

/** Lists the groups. */
export function listGroups<client extends BareClient>(
  client: client,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<Page<Group<client>>> {
  return listPage<Group, '/core/v1/list_groups'>(
    client,
    {
      path: '/core/v1/list_groups',
      indexed: 'groups',
      fromWire: ({ id, name, description, cid_hashes_permitted, pkp_ids_permitted }) => ({
        groupId: BigInt(id),
        name,
        description,
        cidHashesPermitted: cid_hashes_permitted.map(BigInt),
        pkpIdsPermitted: pkp_ids_permitted as Address[],
      }),
      fromChain: async (window) => {
        const { account, pageNumber, pageSize, ask } = window;
        const [[, size], groupIds] = await ask([
          view('listSizes', [account]),
          view('listGroups', [account, pageNumber, pageSize]),
        ]);
        const contents = await ask(groupIds.map((groupId) => view('listGroupContents', [account, groupId])));
        return {
          items: groupIds.map((groupId, index) => {
            const [cidHashes, pkpIds] = contents[index] ?? [[], []];
            return { groupId, cidHashesPermitted: [...cidHashes], pkpIdsPermitted: [...pkpIds] };
          }),
          hasNextPage: endsBefore(window, size),
        };
      },
    },
    parameters,
    options,
  ) as Promise<Page<Group<client>>>;
}
