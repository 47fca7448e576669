/** The chains whose nodes actions call. */
import type { Activity } from '@latchkey/service/turns';
import { type CallNode, createNodeCalls } from '../runs/node-calls.ts';
import type { WalletChains } from '../wallet-transactions/chains.ts';

export type ActionChains = { callNode: CallNode };

export function openActionChains(
  chains: WalletChains,
  activity: Activity<bigint | string>,
): ActionChains {
  return { callNode: createNodeCalls({ activity, clientOf: (id) => chains.get(id)?.chain.client }) };
}
