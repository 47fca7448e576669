import { accountConfigAbi } from '@latchkey/protocol';
import type { Chain } from '@latchkey/testing/chain';
import { until } from '@latchkey/testing/until';
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
} from 'viem';

export type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;
export type WriteArgs<Name extends WriteName> = ContractFunctionArgs<
  typeof accountConfigAbi,
  'nonpayable',
  Name
>;

/** Enough for any write, so that no gas is estimated. */
const GAS = 5_000_000n;

export type Writer = {
  address: Address;
  /** Sends `data` from an account of anvil; the receipt shows whether it reverted. */
  send(from: Address, data: Hex): Promise<{ blockNumber: bigint; isSuccess: boolean }>;
  /** Sends a write that must succeed; resolves to its block. */
  write<Name extends WriteName>(from: Address, functionName: Name, args: WriteArgs<Name>): Promise<bigint>;
};

export function encodeWrite<Name extends WriteName>(functionName: Name, args: WriteArgs<Name>): Hex {
  return encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
}

export function createWriter(chain: Chain, address: Address): Writer {
  async function send(from: Address, data: Hex) {
    const hash = await chain.client.sendTransaction({ account: from, to: address, data, gas: GAS });
    const isMined = () => chain.client.getTransactionReceipt({ hash });
    const receipt = await until('the transaction is mined', isMined, 2_000).catch(async () => {
      // NOTE anvil sometimes leaves a transaction in its pool.
      await chain.client.mine({ blocks: 1 });
      return until('the transaction is mined', isMined);
    });
    return { blockNumber: receipt.blockNumber, isSuccess: receipt.status === 'success' };
  }
  return {
    address,
    send,
    async write(from, functionName, args) {
      const { blockNumber, isSuccess } = await send(from, encodeWrite(functionName, args));
      if (!isSuccess) throw new Error(`${functionName} reverted.`);
      return blockNumber;
    },
  };
}

/** Permissions of `setUsageApiKey`, in its order: three flags, four lists. */
export type PermissionArgs = readonly [
  boolean,
  boolean,
  boolean,
  readonly bigint[],
  readonly bigint[],
  readonly bigint[],
  readonly bigint[],
];

export const noPermissions: PermissionArgs = [false, false, false, [], [], [], []];
