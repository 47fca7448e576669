import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { describeContents, type GroupContents, hashesOf } from './group-contents.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { labelled, word } from './values.ts';
import { defineWrite } from './write.ts';
import { encodeWrite } from './write-definition.ts';

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

/**
 * Creates a group: which actions can use which wallets.
 * @function
 */
export const addGroup = /* @__PURE__ */ defineWrite({
  name: 'addGroup',
  changes: (parameters: AddGroupParameters) => [
    `Creates the group ${labelled(parameters.name, parameters.description)} with ${describeContents(parameters)}.`,
  ],
  api: {
    path: '/core/v1/add_group',
    body: (parameters) => ({
      group_name: parameters.name,
      group_description: parameters.description,
      ...permittedToWire(parameters),
    }),
    result: ({ group_id }): AddGroupResult => ({ groupId: BigInt(group_id) }),
  },
  chain: {
    calls: (account, { name, description, pkpIds = [], ...contents }) => [
      encodeWrite('addGroup', [account, name, description, hashesOf(contents), pkpIds]),
    ],
    result: (take): AddGroupResult => ({ groupId: take('GroupAdded').groupId }),
  },
});

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

/**
 * Replaces labels and contents of a group.
 * @function
 */
export const updateGroup = /* @__PURE__ */ defineWrite({
  name: 'updateGroup',
  changes: (parameters: UpdateGroupParameters) => [
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
  },
  chain: {
    calls: (account, { groupId, name, description, pkpIds, ...contents }) => [
      encodeWrite('updateGroup', [account, groupId, name, description, hashesOf(contents), pkpIds]),
    ],
  },
});

export interface RemoveGroupParameters {
  groupId: bigint;
}

/**
 * Removes a group. Its id is never reused.
 * @function
 */
export const removeGroup = /* @__PURE__ */ defineWrite({
  name: 'removeGroup',
  changes: ({ groupId }: RemoveGroupParameters) => [
    `Removes the group ${groupId}, also from every usage key.`,
  ],
  api: {
    path: '/core/v1/remove_group',
    body: ({ groupId }) => ({ group_id: String(groupId) }),
  },
  chain: {
    calls: (account, { groupId }) => [encodeWrite('removeGroup', [account, groupId])],
  },
});

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
