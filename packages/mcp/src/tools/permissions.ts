/** The actions and wallets that the usage key may use. */
import type { ApiClient } from '@latchkey/sdk';
import { numberToHex } from 'viem';
// The standard actions of the service.
import cids from '../../../../actions/cids.json' with { type: 'json' };
import { address, cidOrHash, page } from '../inputs.ts';
import { reads, type Tool, tool } from '../tool.ts';

const action = cidOrHash.describe('CID, or cidHash of list_actions');

const listActions = (client: ApiClient) =>
  tool('list_actions', {
    title: 'List permitted actions',
    description:
      'Lists the registered actions that the usage key may run. anyAction is true when it may run any code. ' +
      'A page can have few items, or none, before the last one: read on while there is a nextPage.',
    hints: reads,
    input: page,
    run: async (input, { signal }) => {
      // In a group, the hash 0 permits every action.
      const { action: any } = await client.explainExecution({ cid: 0n }, { signal });
      const { items, nextPage } = await client.listActions(input, { signal });
      const permitted = await keep(items, async ({ cidHash }) => {
        const { action } = await client.explainExecution({ cid: cidHash }, { signal });
        return action.permitted;
      });
      const shown = permitted.map((item) => ({ ...item, cidHash: numberToHex(item.cidHash, { size: 32 }) }));
      return { anyAction: any.permitted, items: shown, nextPage };
    },
  });

const listWallets = (client: ApiClient) =>
  tool('list_wallets', {
    title: 'List permitted wallets',
    description:
      'Lists the wallets that an action may use when the usage key runs it: by default the action of send_transaction. ' +
      'A page can have few items, or none, before the last one: read on while there is a nextPage.',
    hints: reads,
    input: { cid: action.default(cids['send-transaction.js']), ...page },
    run: async ({ cid, ...given }, { signal }) => {
      const { items, nextPage } = await client.listWallets(given, { signal });
      const permitted = await keep(items, async ({ walletAddress: pkpId }) => {
        const { action, wallet } = await client.explainExecution({ cid, pkpId }, { signal });
        return action.permitted && wallet?.permitted === true;
      });
      const shown = permitted.map(({ walletAddress: wallet, name, description }) => ({
        wallet,
        name,
        description,
      }));
      return { items: shown, nextPage };
    },
  });

const explainExecution = (client: ApiClient) =>
  tool('explain_execution', {
    title: 'Explain a permission',
    description:
      'Explains whether the usage key may run an action, and use a wallet in it, and which rule decides.',
    hints: reads,
    input: { cid: action, wallet: address.optional() },
    run: ({ cid, wallet: pkpId }, { signal }) => client.explainExecution({ cid, pkpId }, { signal }),
  });

/** Returns the items that are permitted. */
async function keep<Item>(items: Item[], isPermitted: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const verdicts = await Promise.all(items.map(isPermitted));
  return items.filter((_, index) => verdicts[index]);
}

export const permissionTools = (client: ApiClient): Tool[] => [
  listActions(client),
  listWallets(client),
  explainExecution(client),
];
