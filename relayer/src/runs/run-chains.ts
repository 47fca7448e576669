/** The chains of a run: transactions of wallets that its usage key may use in its action, and calls of nodes. */
import { cidHash } from '@latchkey/protocol';
import { ActionError } from '@latchkey/runner-protocol';
import type { Hex } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';
import type { RunChains } from '../runners/chain-requests.ts';
import type { SendWalletTransaction } from '../wallet-transactions/types.ts';
import type { CallNode } from './node-calls.ts';

type ChainsOfRun = { account: bigint; hash: bigint; cid: string; runId: string; minBlock: bigint };
type Chains = {
  callNode: CallNode;
  accountConfig: Pick<AccountConfig, 'read'>;
  sendWalletTransaction: SendWalletTransaction;
};

export function openRunChains(
  { accountConfig, callNode, sendWalletTransaction }: Chains,
  { account, hash, cid, runId, minBlock }: ChainsOfRun,
): RunChains {
  const mayUse = (wallet: Hex) =>
    accountConfig.read('canUseWalletInAction', [hash, cidHash(cid), wallet], minBlock);
  return {
    async sendTransaction({ pkpId, chainId, to, value, data, gas, maxFeePerGas, idempotencyKey }, sign) {
      // The key nodes decide again before they sign. Without this, a stranger's run could delay the transactions of a wallet.
      if (!(await mayUse(pkpId)))
        throw new ActionError(
          'WalletNotPermittedError',
          `the wallet ${pkpId} in the action ${cid}: the usage key may not use the wallet. Permit both in a group of the key`,
        );
      const request = { account, usageKey: hash, runId, cid, wallet: pkpId, chainId, to, idempotencyKey };
      return sendWalletTransaction(
        {
          ...request,
          value: BigInt(value),
          data: data as Hex,
          gas: gas === undefined ? undefined : BigInt(gas),
          maxFeePerGas: maxFeePerGas === undefined ? undefined : BigInt(maxFeePerGas),
        },
        sign,
      );
    },
    callNode: (call) => callNode(account, call),
  };
}
