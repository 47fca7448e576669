import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChainUnavailableError } from './errors.ts';
import { createPayerPool, inLane, PayersBusyError, whilePending } from './payer-pool.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const privateKeys = [generatePrivateKey(), generatePrivateKey()];
const [first, second] = privateKeys.map((key) => privateKeyToAddress(key));
const openPool = (maxPending = 2) => createPayerPool(privateKeys, maxPending);

describe('choose', () => {
  test('chooses the payer with the fewest in-flight transactions', async () => {
    const { choose, find } = openPool();
    expect(choose().address).toBe(first);
    await whilePending(find(first as `0x${string}`), async () => {
      expect(choose().address).toBe(second);
    });
    expect(choose().address).toBe(first);
  });

  test('throws when every payer has `maxPending`', () => {
    const { choose, payers } = openPool();
    for (const payer of payers) payer.pending = 2;
    expect(choose).toThrow(PayersBusyError);
  });

  test('skips a payer without funds for five seconds', () => {
    const { choose, rest } = openPool();
    rest(choose());
    expect(choose().address).toBe(second);
    rest(choose());
    expect(choose).toThrow(ChainUnavailableError);
    vi.advanceTimersByTime(4_999);
    expect(choose).toThrow(ChainUnavailableError);
    vi.advanceTimersByTime(1);
    expect(choose().address).toBe(first);
  });

  test('skips payers that the contract does not know', () => {
    const { choose, setApiPayers, status } = openPool();
    setApiPayers([second as `0x${string}`]);
    expect(choose().address).toBe(second);
    expect(status()).toEqual([
      { address: first, pending: 0, isApiPayer: false },
      { address: second, pending: 0, isApiPayer: true },
    ]);
    setApiPayers([]);
    expect(choose).toThrow(ChainUnavailableError);
  });
});

describe('whilePending', () => {
  test('counts work until it ends or fails', async () => {
    const payer = openPool().choose();
    const work = Promise.withResolvers<void>();
    const counted = whilePending(payer, () => work.promise);
    expect(payer.pending).toBe(1);
    work.reject(new Error('lost'));
    await expect(counted).rejects.toThrow('lost');
    expect(payer.pending).toBe(0);
  });
});

describe('a lane of a payer', () => {
  test('runs one task after the other, also after a failure', async () => {
    const { storing: lane } = openPool().choose();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const failing = inLane(lane, async () => {
      order.push('first started');
      await gate.promise;
      order.push('first ended');
      throw new Error('lost');
    });
    const following = inLane(lane, async () => {
      order.push('second started');
      return 2;
    });
    gate.resolve();
    await expect(failing).rejects.toThrow('lost');
    expect(await following).toBe(2);
    expect(order).toEqual(['first started', 'first ended', 'second started']);
  });
});
