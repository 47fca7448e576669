/** The costs of data on L1 that rollups pass on. OP-stack chains take a fee on top of gas; Arbitrum has it in the estimate, as gas. */
import type { Chain } from '@latchkey/chain/chain';
import { toChainError } from '@latchkey/chain/errors';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, size } from 'viem';

/** GasPriceOracle, a predeploy of OP-stack chains. */
const ORACLE: Address = '0x420000000000000000000000000000000000000F';
/** NodeInterface, which nodes of Arbitrum answer for. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8';
const abi = parseAbi([
  'function getL1Fee(bytes) view returns (uint256)',
  'function gasEstimateL1Component(address, bool, bytes) view returns (uint64, uint256, uint256)',
]);
/** All different, so that no compression makes them cheap: real data costs less. */
const SAMPLE: Hex = `0x${Array.from({ length: 256 }, (_, i) => (i ^ 0x5a).toString(16).padStart(2, '0')).join('')}`;
/** Upper bound of what a signed transaction has beside its calldata. */
const ENVELOPE_BYTES = 200;

type Client = Pick<Chain['client'], 'call'>;

/** Clients of other chains, which are asked once. */
const withoutFee = new WeakSet<Client>();

/** Returns the wei that OP-stack chains take per byte of a transaction; 0n on other chains, where no contract answers. */
export async function dataFeePerByte(client: Client): Promise<bigint> {
  if (withoutFee.has(client)) return 0n;
  const call = { to: ORACLE, data: encodeFunctionData({ abi, functionName: 'getL1Fee', args: [SAMPLE] }) };
  const { data } = await client.call(call).catch((error: unknown) => {
    throw toChainError(error);
  });
  if (data === undefined) {
    withoutFee.add(client);
    return 0n;
  }
  return decodeFunctionResult({ abi, functionName: 'getL1Fee', data }) / BigInt(size(SAMPLE)) + 1n;
}

export const bytesOf = (data: Hex): bigint => BigInt(size(data) + ENVELOPE_BYTES);

/** Returns the part of an estimate that is for L1; 0n on chains without one. */
export async function gasForL1(client: Client, to: Address, calldata: Hex): Promise<bigint> {
  const functionName = 'gasEstimateL1Component';
  const call = {
    to: NODE_INTERFACE,
    data: encodeFunctionData({ abi, functionName, args: [to, false, calldata] }),
  };
  const { data } = await client.call(call).catch((error: unknown) => {
    throw toChainError(error);
  });
  return data === undefined ? 0n : decodeFunctionResult({ abi, functionName, data })[0];
}
