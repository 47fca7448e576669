import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { asText, cidHash, labelled, listed, word } from './values.ts';
import { encodeWrite, prepareFunction, type Write, writeFunction } from './write.ts';

/** Actions and wallets of a group. */
export interface GroupContents {
  /**
   * CIDs or their hashes, at most 10; the hash 0 means every action. An unknown action that is added is registered with empty
   * labels.
   */
  cids?: readonly (string | bigint)[] | undefined;
  /** Addresses of wallets, at most 10; the zero address means every wallet of the account. */
  pkpIds?: readonly Address[] | undefined;
}

const describeContents = ({ cids = [], pkpIds = [] }: GroupContents): string =>
  `${listed(cids, 'action')}; ${listed(pkpIds, 'wallet')}`;
const hashesOf = ({ cids = [] }: GroupContents): bigint[] => cids.map(cidHash);
const permittedToWire = (contents: GroupContents) => ({
  pkp_ids_permitted: [...(contents.pkpIds ?? [])],
  cid_hashes_permitted: hashesOf(contents).map(word),
});

export interface AddGroupParameters extends GroupContents {
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

export interface AddGroupResult {
  groupId: bigint;
}

const addGroupWrite: Write<AddGroupParameters, AddGroupResult, '/core/v1/add_group'> = {
  name: 'addGroup',
  changes: (parameters) => [
    `Creates the group ${labelled(parameters.name, parameters.description)} with ${describeContents(parameters)}.`,
  ],
  api: {
    path: '/core/v1/add_group',
    body: (parameters) => ({
      group_name: parameters.name,
      group_description: parameters.description,
      ...permittedToWire(parameters),
    }),
    result: ({ group_id }) => ({ groupId: BigInt(group_id) }),
  },
  chain: {
    calls: (account, { name, description, pkpIds = [], ...contents }) => [
      encodeWrite('addGroup', [account, name, description, hashesOf(contents), pkpIds]),
    ],
    result: (take) => ({ groupId: take('GroupAdded').groupId }),
  },
};

/**
 * Creates a group: which actions can use which wallets.
 * @function
 */
export const addGroup = /* @__PURE__ */ writeFunction(addGroupWrite);

/** Prepares {@link addGroup} without sending it. @function */
export const prepareAddGroup = /* @__PURE__ */ prepareFunction(addGroupWrite);

export interface UpdateGroupParameters {
  groupId: bigint;
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
  /**
   * CIDs or their hashes, at most 10; the hash 0 means every action. An unknown action is registered with empty labels.
   */
  cids: readonly (string | bigint)[];
  /** Addresses of wallets, at most 10; the zero address means every wallet of the account. */
  pkpIds: readonly Address[];
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
      ...permittedToWire(parameters),
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { groupId, name, description, pkpIds, ...contents }) => [
      encodeWrite('updateGroup', [account, groupId, name, description, hashesOf(contents), pkpIds]),
    ],
    result: () => ({}),
  },
};

/**
 * Replaces labels and contents of a group.
 * @function
 */
export const updateGroup = /* @__PURE__ */ writeFunction(updateGroupWrite);

/** Prepares {@link updateGroup} without sending it. @function */
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

/** Prepares {@link removeGroup} without sending it. @function */
export const prepareRemoveGroup = /* @__PURE__ */ prepareFunction(removeGroupWrite);

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

/** A listed group. */
export type Group<client extends BareClient = BareClient> = Labels<client> & {
  groupId: bigint;
  /** Hashes of CIDs; 0, which is first, means every action. A chain read returns at most the first 1,000. */
  cidHashes: bigint[];
  /**
   * Addresses of wallets; the zero address, which is first, means every wallet of the account. A chain read returns at
   * most the first 1,000.
   */
  pkpIds: Address[];
};

/** Lists the groups. */
export function listGroups<client extends BareClient>(
  client: client,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<Page<Group<client>>> {
  return listPage<Group, '/core/v1/list_groups', PageParameters>(
    client,
    {
      path: '/core/v1/list_groups',
      indexed: 'groups',
      fromWire: ({ id, name, description, cid_hashes_permitted, pkp_ids_permitted }) => ({
        groupId: BigInt(id),
        name,
        description,
        cidHashes: cid_hashes_permitted.map(BigInt),
        pkpIds: pkp_ids_permitted as Address[],
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
            return { groupId, cidHashes: [...cidHashes], pkpIds: [...pkpIds] };
          }),
          hasNextPage: endsBefore(window, size),
        };
      },
    },
    parameters,
    options,
  ) as Promise<Page<Group<client>>>;
}
