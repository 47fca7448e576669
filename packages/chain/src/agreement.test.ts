import { describe, expect, test } from 'vitest';
import { heldByTwo } from './agreement.ts';
import { ChainUnavailableError } from './errors.ts';
import { createPool, type Endpoint } from './node-pool.ts';

class Refusal extends Error {}
type Teller = Endpoint & { tell: () => Promise<bigint>; asked: number };

/** A node of a chain that tells a number, refuses, or is down. */
function teller(answer: bigint | Error, chainId: string): Teller {
  const endpoint: Teller = {
    host: 'node',
    request: async () => chainId,
    asked: 0,
    async tell() {
      endpoint.asked++;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return endpoint;
}

/** Opens nodes of chain 1, or of an unknown chain that they tell. */
function open(answers: (bigint | Error)[], chainIds?: string[]) {
  const tellers = answers.map((answer, index) => teller(answer, chainIds?.[index] ?? '0x1'));
  const pool = createPool(tellers, {
    chainId: chainIds ? undefined : 1,
    needed: answers.length > 2 ? 2 : 1,
    slowMs: 1_000,
    isFault: (error) => !(error instanceof Refusal),
  });
  const ask = () =>
    heldByTwo(
      pool,
      ({ tell }) => tell(),
      (error) => (error as Error).message,
    );
  return { ask, asked: () => tellers.map(({ asked }) => asked) };
}

const HUGE = 10n ** 30n;
const down = new Error('down');
const reverts = new Refusal('reverts');

describe('a number that two nodes reach', () => {
  test.each([
    { who: 'one of three that lies upwards first', answers: [HUGE, 5n, 7n], number: 7n },
    { who: 'one of three that lies upwards last', answers: [5n, 7n, HUGE], number: 7n },
    { who: 'one of three that lies downwards first', answers: [0n, 5n, 7n], number: 5n },
    { who: 'one of three that lies downwards last', answers: [5n, 7n, 0n], number: 5n },
    { who: 'one of four that lies upwards', answers: [HUGE, 5n, 6n, 7n], number: 7n },
    { who: 'one of three that refuses', answers: [reverts, 5n, 5n], number: 5n },
  ])('stays between the answers of the others with $who', async ({ answers, number }) => {
    expect(await open(answers).ask()).toBe(number);
  });

  test('is the lower one of two nodes, and that of the only one that answers', async () => {
    expect(await open([HUGE, 5n]).ask()).toBe(5n);
    expect(await open([5n, HUGE]).ask()).toBe(5n);
    expect(await open([down, 5n]).ask()).toBe(5n);
    expect(await open([HUGE, 5n, down]).ask()).toBe(5n);
  });

  test('costs two questions, and a third one only when two nodes differ', async () => {
    const same = open([5n, 5n, 9n]);
    expect([await same.ask(), same.asked()]).toEqual([5n, [1, 1, 0]]);
    const different = open([5n, 6n, 9n]);
    expect([await different.ask(), different.asked()]).toEqual([6n, [1, 1, 1]]);
  });

  test('is not the word of one node of three', async () => {
    await expect(open([HUGE, down, down]).ask()).rejects.toThrow(ChainUnavailableError);
    await expect(open([down, down, down]).ask()).rejects.toBe(down);
  });

  test('is refused when the other nodes refuse, and when one of two does', async () => {
    await expect(open([HUGE, reverts, reverts]).ask()).rejects.toBe(reverts);
    await expect(open([down, reverts, reverts]).ask()).rejects.toBe(reverts);
    await expect(open([HUGE, reverts]).ask()).rejects.toBe(reverts);
    await expect(open([down, reverts]).ask()).rejects.toBe(reverts);
  });
});

describe('an unknown chain', () => {
  test.each([
    { title: 'the first node tells another chain', chainIds: ['0x2', '0x1', '0x1'], number: 6n },
    { title: 'the last node tells another chain', chainIds: ['0x1', '0x1', '0x2'], number: 5n },
    { title: 'all nodes tell the same', chainIds: ['0x1', '0x1', '0x1'], number: 6n },
  ])('is that of two nodes of three when $title', async ({ chainIds, number }) => {
    expect(await open([5n, 6n, 9n], chainIds).ask()).toBe(number);
  });

  test('is not known when three nodes tell three', async () => {
    await expect(open([5n, 6n, 9n], ['0x1', '0x2', '0x3']).ask()).rejects.toThrow('different chains');
  });
});
