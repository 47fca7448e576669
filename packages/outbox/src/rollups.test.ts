import { ChainUnavailableError, ContractRevertError } from '@latchkey/chain/errors';
import { type Address, decodeFunctionData, encodeFunctionResult, numberToHex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { extraFee, gasForL1, readExtraFees } from './rollups.ts';

const abi = parseAbi([
  'function getL1Fee(bytes) view returns (uint256)',
  'function getOperatorFee(uint256) view returns (uint256)',
]);
const l1Abi = parseAbi([
  'function gasEstimateL1Component(address, bool, bytes) view returns (uint64, uint256, uint256)',
]);
const TO: Address = `0x${'11'.repeat(20)}`;
const word = (value: bigint) => numberToHex(value, { size: 32 });

const nodesOf = (call: (asked: { data: Address }) => Promise<unknown>) =>
  ({ heldByTwo: (question: (client: object) => unknown) => question({ call }) }) as never as Parameters<
    typeof readExtraFees
  >[0];

/** A chain whose oracle takes `l1Fee` for the sample of 256 bytes, and `operatorFee` per gas; without fees it has no oracle. */
function chainOf(l1Fee: bigint | undefined, operatorFee: (gas: bigint) => bigint | Error = () => 0n) {
  let calls = 0;
  const call = async ({ data }: { data: Address }) => {
    calls++;
    if (l1Fee === undefined) return {};
    const { functionName, args } = decodeFunctionData({ abi, data });
    const fee = functionName === 'getL1Fee' ? l1Fee : operatorFee(args[0] as bigint);
    if (fee instanceof Error) throw fee;
    return { data: word(fee) };
  };
  return { nodes: nodesOf(call), calls: () => calls };
}

describe('fees besides the gas', () => {
  const none = { perByteWei: 0n, perGasWei: 0n, perTransactionWei: 0n };

  test('are none on a chain without an oracle, which is asked once', async () => {
    const { nodes, calls } = chainOf(undefined);
    expect(await readExtraFees(nodes)).toEqual(none);
    expect(await readExtraFees(nodes)).toEqual(none);
    expect(calls()).toBe(1);
  });

  test('are rounded up', async () => {
    const { nodes } = chainOf(2_570n, (gas) => 7n + (gas * 3n) / 2n);
    expect(await readExtraFees(nodes)).toEqual({ perByteWei: 11n, perGasWei: 2n, perTransactionWei: 7n });
    const exact = chainOf(256n, (gas) => 2n * gas).nodes;
    expect(await readExtraFees(exact)).toEqual({ perByteWei: 2n, perGasWei: 2n, perTransactionWei: 0n });
    const least = chainOf(256n, (gas) => (gas === 0n ? 0n : 1n)).nodes;
    expect(await readExtraFees(least)).toMatchObject({ perGasWei: 1n });
  });

  test('of the operator are none for an oracle that does not know them', async () => {
    const { nodes } = chainOf(256n, () => new ContractRevertError('0x'));
    expect(await readExtraFees(nodes)).toEqual({ ...none, perByteWei: 2n });
  });

  test('are unknown while the oracle cannot be asked', async () => {
    const { nodes } = chainOf(256n, () => new Error('down'));
    await expect(readExtraFees(nodes)).rejects.toThrow(ChainUnavailableError);
    const call = () => Promise.reject(new Error('down'));
    await expect(readExtraFees(nodesOf(call))).rejects.toThrow(ChainUnavailableError);
    await expect(gasForL1({ call } as never, TO, '0x')).rejects.toThrow(ChainUnavailableError);
  });

  test('count the bytes of the call and its envelope, its gas, and the transaction', () => {
    const fees = { perByteWei: 10n, perGasWei: 2n, perTransactionWei: 5n };
    expect(extraFee(fees, { data: '0x', gas: 0n })).toBe(2_005n);
    expect(extraFee(fees, { data: '0x112233', gas: 100n })).toBe(2_030n + 200n + 5n);
  });
});

test('the gas for L1 is that of NodeInterface, and none where no contract answers', async () => {
  const result = encodeFunctionResult({
    abi: l1Abi,
    functionName: 'gasEstimateL1Component',
    result: [5n, 6n, 7n],
  });
  const answering = { call: async () => ({ data: result }) } as never;
  expect(await gasForL1(answering, TO, '0x1234')).toBe(5n);
  expect(await gasForL1({ call: async () => ({}) } as never, TO, '0x1234')).toBe(0n);
});
