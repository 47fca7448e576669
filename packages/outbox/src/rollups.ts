/**
 * Fees of rollups besides the gas of a transaction. OP-stack chains take fees for its data and for their operator; Arbitrum has the costs of its
 * data in the estimate, as gas.
 */
import type { Chain } from '@latchkey/chain/chain';
import { ContractRevertError, toChainError } from '@latchkey/chain/errors';
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  parseAbi,
  size,
} from 'viem';

/** GasPriceOracle, a predeploy of OP-stack chains. */
const ORACLE: Address = '0x420000000000000000000000000000000000000F';
/** NodeInterface, which nodes of Arbitrum answer for. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8';
const abi = parseAbi([
  'function getL1Fee(bytes) view returns (uint256)',
  'function getOperatorFee(uint256) view returns (uint256)',
  'function gasEstimateL1Component(address, bool, bytes) view returns (uint64, uint256, uint256)',
]);
/** All different, so that no compression makes them cheap: real data costs less. */
const SAMPLE: Hex = `0x${Array.from({ length: 256 }, (_, i) => (i ^ 0x5a).toString(16).padStart(2, '0')).join('')}`;
/** The operator's fee is a part per gas and a constant, since Isthmus. */
const SAMPLE_GAS = 1_000_000n;
/** Upper bound of what a signed transaction has beside its calldata. */
const ENVELOPE_BYTES = 200;

type Client = Pick<Chain['client'], 'call'>;
type Nodes = Pick<Chain, 'heldByTwo'>;

/** Other chains, which are asked once. */
const withoutFee = new WeakSet<Nodes>();
/** The number of a chain without an oracle. */
const NO_ORACLE = -1n;

/** The wei that a transaction costs at most besides its gas. An operator's fee is taken from the limit of gas, and in part paid back. */
export type ExtraFees = { perByteWei: bigint; perGasWei: bigint; perTransactionWei: bigint };

const NO_FEES: ExtraFees = { perByteWei: 0n, perGasWei: 0n, perTransactionWei: 0n };

/** Returns the fees of OP-stack chains, which are zero on other chains, where no contract answers. One node of several neither sets nor hides them. */
export async function readExtraFees(nodes: Nodes): Promise<ExtraFees> {
  if (withoutFee.has(nodes)) return NO_FEES;
  const l1Fee = await ask(nodes, encodeFunctionData({ abi, functionName: 'getL1Fee', args: [SAMPLE] }));
  if (l1Fee === NO_ORACLE) {
    withoutFee.add(nodes);
    return NO_FEES;
  }
  const operatorFee = async (gas: bigint): Promise<bigint> => {
    const data = encodeFunctionData({ abi, functionName: 'getOperatorFee', args: [gas] });
    const fee = await ask(nodes, data).catch(withoutFunction);
    return fee === NO_ORACLE ? 0n : fee;
  };
  const [fixed, sample] = [await operatorFee(0n), await operatorFee(SAMPLE_GAS)];
  return {
    perByteWei: l1Fee / BigInt(size(SAMPLE)) + 1n,
    perGasWei: (sample - fixed + SAMPLE_GAS - 1n) / SAMPLE_GAS,
    perTransactionWei: fixed,
  };
}

/** Returns a number of the oracle. */
const ask = ({ heldByTwo }: Nodes, calldata: Hex): Promise<bigint> =>
  heldByTwo(async (client) => {
    const { data } = await client.call({ to: ORACLE, data: calldata });
    return data === undefined ? NO_ORACLE : hexToBigInt(data);
  }).catch((error: unknown) => {
    throw toChainError(error);
  });

/** An oracle of before Isthmus reverts. */
function withoutFunction(error: unknown): bigint {
  if (!(error instanceof ContractRevertError)) throw error;
  return 0n;
}

/** Returns what a transaction costs at most besides its gas. */
export const extraFee = (fees: ExtraFees, { data, gas }: { data: Hex; gas: bigint }): bigint =>
  BigInt(size(data) + ENVELOPE_BYTES) * fees.perByteWei + gas * fees.perGasWei + fees.perTransactionWei;

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
