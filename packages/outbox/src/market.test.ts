import type { Chain } from '@latchkey/chain/chain';
import {
  ChainUnavailableError,
  ContractRevertError,
  FeesTooHighError,
  TooMuchGasError,
} from '@latchkey/chain/errors';
import { type Address, numberToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { createGasMarket, estimateGas, withinCeiling } from './market.ts';

const PAYER: Address = '0x00000000000000000000000000000000000000aa';

/** A chain whose answers a test sets; `calls` counts its questions. */
function standInChain() {
  const node = { balance: 100n, maxFeePerGas: 7n, isDown: false, calls: { balance: 0, fees: 0 } };
  const answer = <T>(value: () => T): Promise<T> =>
    node.isDown ? Promise.reject(new Error('down')) : Promise.resolve(value());
  const client = {
    getBalance: () => {
      node.calls.balance++;
      return answer(() => node.balance);
    },
    call: () => answer(() => ({})),
    getBlock: () => {
      node.calls.fees++;
      return answer(() => ({ baseFeePerGas: (node.maxFeePerGas - 1n) / 2n }));
    },
    estimateMaxPriorityFeePerGas: () => answer(() => 1n),
  };
  const heldByTwo = (question: (asked: typeof client) => unknown) => question(client);
  return { node, chain: { client, heldByTwo } as unknown as Parameters<typeof createGasMarket>[0] };
}

describe('fees', () => {
  test('are read once, again after `refresh`, and again when they are old', async () => {
    const { node, chain } = standInChain();
    const market = createGasMarket(chain);
    await Promise.all([market.fees(), market.fees()]);
    node.maxFeePerGas = 9n;
    expect(await market.fees()).toEqual({ maxFeePerGas: 7n, maxPriorityFeePerGas: 1n });
    expect(node.calls.fees).toBe(1);
    await market.refresh([]);
    expect(await market.fees()).toMatchObject({ maxFeePerGas: 9n });
    expect(node.calls.fees).toBe(2);
    const forgetful = createGasMarket(chain, { maxAgeMs: 0 });
    await forgetful.fees();
    await forgetful.fees();
    expect(node.calls.fees).toBe(4);
  });

  test('are read again after a refused transaction and after a failure', async () => {
    const { node, chain } = standInChain();
    const market = createGasMarket(chain);
    await market.fees();
    market.forget(PAYER);
    node.isDown = true;
    await expect(market.fees()).rejects.toThrow(ChainUnavailableError);
    node.isDown = false;
    expect(await market.fees()).toMatchObject({ maxFeePerGas: 7n });
  });
});

describe('a ceiling', () => {
  // 100 is twice a base fee of 49, and a tip of 2.
  const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 2n };
  test.each([
    { title: 'above the fees changes nothing', ceiling: 101n, maxFeePerGas: 100n },
    { title: 'below the fees replaces them', ceiling: 99n, maxFeePerGas: 99n },
    { title: 'of base fee and tip is offered', ceiling: 51n, maxFeePerGas: 51n },
  ])('$title', ({ ceiling, maxFeePerGas }) => {
    expect(withinCeiling(fees, ceiling)).toEqual({ ...fees, maxFeePerGas });
  });

  test('below base fee and tip refuses: the transaction would not be mined', () => {
    expect(() => withinCeiling(fees, 50n)).toThrow(FeesTooHighError);
  });

  test('holds for each read of the fees', async () => {
    const { node, chain } = standInChain();
    const market = createGasMarket(chain, { ceiling: 5n });
    expect(await market.fees()).toMatchObject({ maxFeePerGas: 5n });
    node.maxFeePerGas = 11n;
    await market.refresh([]);
    await expect(market.fees()).rejects.toThrow(FeesTooHighError);
  });
});

describe('spend', () => {
  test('counts the highest costs against the balance and reads it again before it refuses', async () => {
    const { node, chain } = standInChain();
    const market = createGasMarket(chain);
    expect(await market.spend(PAYER, 60n)).toBe(true);
    expect(await market.spend(PAYER, 40n)).toBe(true);
    expect(node.calls.balance).toBe(1);
    node.balance = 30n;
    expect(await market.spend(PAYER, 31n)).toBe(false);
    expect(await market.spend(PAYER, 30n)).toBe(true);
    expect(node.calls.balance).toBe(2);
    node.balance = 100n;
    expect(await market.spend(PAYER, 31n)).toBe(true);
  });

  test('notices a payer that lost its funds when the balance is refreshed, old or forgotten', async () => {
    const { node, chain } = standInChain();
    const market = createGasMarket(chain);
    for (const notice of [() => market.refresh([PAYER]), async () => market.forget(PAYER)]) {
      node.balance = 100n;
      await market.refresh([PAYER]);
      node.balance = 1n;
      expect(await market.spend(PAYER, 10n)).toBe(true);
      await notice();
      expect(await market.spend(PAYER, 10n)).toBe(false);
    }
    const forgetful = createGasMarket(chain, { maxAgeMs: 0 });
    node.balance = 100n;
    expect(await forgetful.spend(PAYER, 10n)).toBe(true);
    node.balance = 1n;
    expect(await forgetful.spend(PAYER, 10n)).toBe(false);
  });

  test('rejects when the chain does not answer', async () => {
    const { node, chain } = standInChain();
    node.isDown = true;
    await expect(createGasMarket(chain).spend(PAYER, 1n)).rejects.toThrow(ChainUnavailableError);
  });
});

describe('the gas of a call', () => {
  const call = { from: PAYER, to: PAYER, data: '0x1234' } as const;
  /** Estimates on a chain where so much of an estimate of 300 is for L1. */
  const estimateWith = (
    maxGas: bigint,
    { forL1 = 0n, failure = undefined as Error | undefined, replay = async (): Promise<object> => ({}) } = {},
  ) => {
    const words = [forL1, 0n, 0n].map((word) => numberToHex(word, { size: 32 }).slice(2));
    const client = {
      estimateGas: async () => {
        if (failure) throw failure;
        return 300n;
      },
      call: ({ account }: { account?: Address }) =>
        account ? replay() : Promise.resolve({ data: `0x${words.join('')}` }),
    };
    return estimateGas({ client } as unknown as Pick<Chain, 'client'>, call, { maxGas });
  };

  test('has headroom, and a limit', async () => {
    expect(await estimateWith(300n)).toBe(30_390n);
    await expect(estimateWith(299n)).rejects.toThrow(TooMuchGasError);
  });

  test('is at least what every transaction with its calldata needs, whatever a node estimates', async () => {
    const client = { estimateGas: async () => 1n };
    const gasOf = (bytes: number) =>
      estimateGas({ client } as never, { from: PAYER, to: PAYER, data: `0x${'11'.repeat(bytes)}` });
    expect(await gasOf(1)).toBe(30_001n);
    expect(await gasOf(10_000)).toBe(421_000n);
  });

  test('that is above the limit only for L1 is a matter of the fees', async () => {
    await expect(estimateWith(200n, { forL1: 100n })).rejects.toThrow(FeesTooHighError);
    await expect(estimateWith(200n, { forL1: 99n })).rejects.toThrow(TooMuchGasError);
  });

  test('is simulated when it fails without the data of a revert', async () => {
    const revert = new ContractRevertError('0x12345678');
    const failure = new Error('execution failed');
    await expect(estimateWith(300n, { failure, replay: () => Promise.reject(revert) })).rejects.toBe(revert);
    await expect(estimateWith(300n, { failure })).rejects.toThrow(ChainUnavailableError);
    const replay = () => Promise.reject(new Error('not asked'));
    await expect(estimateWith(300n, { failure: revert, replay })).rejects.toBe(revert);
  });
});
