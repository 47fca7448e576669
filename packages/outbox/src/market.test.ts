import type { Chain } from '@latchkey/chain/chain';
import { ChainUnavailableError, FeesTooHighError } from '@latchkey/chain/errors';
import type { Address } from 'viem';
import { describe, expect, test } from 'vitest';
import { createGasMarket, withinCeiling } from './market.ts';

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
    estimateFeesPerGas: () => {
      node.calls.fees++;
      return answer(() => ({ maxFeePerGas: node.maxFeePerGas, maxPriorityFeePerGas: 1n }));
    },
  };
  return { node, chain: { client } as unknown as Pick<Chain, 'client'> };
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
