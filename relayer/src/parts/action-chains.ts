/** The chains that actions use. */
import type { Chain } from '@latchkey/chain/chain';
import type { Activity } from '@latchkey/service/turns';
import { type CallNode, createNodeCalls } from '../runs/node-calls.ts';
import type { SendWalletTransaction } from '../wallet-transactions/types.ts';

export type ActionChains = {
  callNode: CallNode;
  /** Undefined when the relayer sends no transactions of wallets. */
  sendWalletTransaction: SendWalletTransaction | undefined;
};

export function openActionChains(
  { chainId, client }: Pick<Chain, 'chainId' | 'client'>,
  activity: Activity<bigint | string>,
): ActionChains {
  return {
    callNode: createNodeCalls({ activity, clientOf: (id) => (id === chainId ? client : undefined) }),
    sendWalletTransaction: undefined,
  };
}
