import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { asText, cidHash, labelled, word } from './values.ts';
import { defineWrite } from './write.ts';
import { encodeWrite } from './write-definition.ts';

export interface AddActionParameters {
  /** As text, because a hash can be of anything. */
  cid: string;
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

/**
 * Registers an action. It can run once a group permits it.
 * @function
 */
export const addAction = /* @__PURE__ */ defineWrite({
  name: 'addAction',
  changes: ({ cid, name, description }: AddActionParameters) => [
    `Registers the action ${cid} as ${labelled(name, description)}.`,
  ],
  api: {
    path: '/core/v1/add_action',
    body: ({ cid, name, description }) => ({ action_ipfs_cid: cid, name, description }),
  },
  chain: {
    calls: (account, { cid, name, description }) => [
      encodeWrite('addAction', [account, name, description, cidHash(cid)]),
    ],
  },
});

export interface UpdateActionMetadataParameters {
  /** The CID, or its hash from a list. */
  cid: string | bigint;
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

/**
 * Replaces the labels of an action.
 * @function
 */
export const updateActionMetadata = /* @__PURE__ */ defineWrite({
  name: 'updateActionMetadata',
  changes: ({ cid, name, description }: UpdateActionMetadataParameters) => [
    `Changes the labels of the action ${asText(cid)} to ${labelled(name, description)}.`,
  ],
  api: {
    path: '/core/v1/update_action_metadata',
    body: ({ cid, name, description }) => ({ hashed_cid: word(cidHash(cid)), name, description }),
  },
  chain: {
    calls: (account, { cid, name, description }) => [
      encodeWrite('updateActionMetadata', [account, cidHash(cid), 0n, name, description]),
    ],
  },
});

export interface DeleteActionParameters {
  /** The CID, or its hash from a list. */
  cid: string | bigint;
}

/**
 * Removes an action from the account and every group.
 * @function
 */
export const deleteAction = /* @__PURE__ */ defineWrite({
  name: 'deleteAction',
  changes: ({ cid }: DeleteActionParameters) => [
    `Removes the action ${asText(cid)} from the account and every group.`,
  ],
  api: {
    path: '/core/v1/delete_action',
    body: ({ cid }) => ({ hashed_cid: word(cidHash(cid)) }),
  },
  chain: {
    calls: (account, { cid }) => [encodeWrite('removeAction', [account, cidHash(cid)])],
  },
});

export interface ListActionsParameters extends PageParameters {
  /** Lists only the actions of this group. */
  groupId?: bigint | undefined;
}

/** A listed action. */
export type Action<client extends BareClient = BareClient> = Labels<client> & {
  /** Hash of the CID; in a group, 0 means every action. */
  cidHash: bigint;
};

/** Lists the actions of the account, or of one of its groups. */
export function listActions<client extends BareClient>(
  client: client,
  parameters: ListActionsParameters = {},
  options?: CallOptions,
): Promise<Page<Action<client>, ListActionsParameters>> {
  const { groupId } = parameters;
  return listPage<Action, '/core/v1/list_actions', ListActionsParameters>(
    client,
    {
      path: '/core/v1/list_actions',
      indexed: 'actions',
      groupId,
      fromWire: ({ id, name, description }) => ({ cidHash: BigInt(id), name, description }),
      fromChain: async (window) => {
        const { account, pageNumber, pageSize, ask } = window;
        if (groupId === undefined) {
          const [[, , , size], hashes] = await ask([
            view('listSizes', [account]),
            view('listActions', [account, pageNumber, pageSize]),
          ]);
          return { items: hashes.map((hash) => ({ cidHash: hash })), hasNextPage: endsBefore(window, size) };
        }
        const [hashes, next] = await ask([
          view('listActionsInGroup', [account, groupId, pageNumber, pageSize]),
          view('listActionsInGroup', [account, groupId, (pageNumber + 1n) * pageSize, 1n]),
        ]);
        return { items: hashes.map((hash) => ({ cidHash: hash })), hasNextPage: next.length > 0 };
      },
    },
    parameters,
    options,
  ) as Promise<Page<Action<client>, ListActionsParameters>>;
}
