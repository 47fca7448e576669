import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Broadcast } from './broadcast.ts';
import { ChainUnavailableError } from './errors.ts';
import type { NewTransaction, OutboxTransaction } from './outbox.ts';
import { createPayerPool, type Payer, type Sending, whilePending, whileSending } from './payer-pool.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const privateKeys = [generatePrivateKey(), generatePrivateKey()];
const [first, second] = privateKeys.map((key) => privateKeyToAddress(key));
const unused: Sending = { outbox: { add: async () => [] }, broadcast: async () => [] };
const openPool = (maxPending = 2, sending: Sending = unused) => {
  const pool = createPayerPool(privateKeys, maxPending, sending);
  const choose = (): Payer => {
    const chosen = pool.choose();
    if (!chosen) throw new Error('no payer is free');
    return chosen;
  };
  return { ...pool, choose };
};

describe('choose', () => {
  test('chooses the payer with the fewest in-flight transactions', async () => {
    const { choose, find } = openPool();
    expect(choose().address).toBe(first);
    await whilePending(find(first as `0x${string}`), async () => {
      expect(choose().address).toBe(second);
    });
    expect(choose().address).toBe(first);
  });

  test('chooses a payer that is sending, up to eight transactions and `maxPending`', async () => {
    const { choose, payers } = openPool(9);
    const [one, other] = payers as [Payer, Payer];
    one.pending = 1;
    await whileSending(other, async () => {
      other.pending = 2;
      expect(choose()).toBe(other);
      other.sending = 8;
      expect(choose()).toBe(one);
      other.sending = 7;
      other.pending = 9;
      expect(choose()).toBe(one);
      Object.assign(other, { pending: 1, sending: 1 });
    });
    expect(other).toMatchObject({ pending: 0, sending: 0 });
  });

  test('chooses none while every payer has `maxPending`', () => {
    const { choose, payers } = openPool();
    for (const payer of payers) payer.pending = 2;
    expect(choose).toThrow('no payer is free');
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

describe('a payer that sends', () => {
  const named = (name: string) => ({ data: name }) as unknown as NewTransaction;
  const nameOf = ({ data }: Pick<NewTransaction, 'data'>): string => data;
  /** A payer whose statements and broadcasts end when told, and what they had. */
  const recorded = () => {
    const seen: string[] = [];
    const gates = { stored: Promise.withResolvers<void>(), broadcast: Promise.withResolvers<void>() };
    let nonce = 0;
    const outbox: Sending['outbox'] = {
      async add(_payer, added) {
        seen.push(`store ${added.map(nameOf)}`);
        await gates.stored.promise;
        return added.map((transaction) =>
          nameOf(transaction) === 'poor'
            ? { status: 'rejected', reason: new Error('poor') }
            : {
                status: 'fulfilled',
                value: { ...transaction, nonce: nonce++ } as unknown as OutboxTransaction,
              },
        );
      },
    };
    const broadcast: Broadcast = async (transactions) => {
      seen.push(`broadcast ${transactions.map(nameOf)}`);
      await gates.broadcast.promise;
      return transactions.map((transaction) => nameOf(transaction) !== 'unwanted');
    };
    return { payer: openPool(10, { outbox, broadcast }).choose(), seen, gates };
  };

  test('stores together what arrives during a statement, and broadcasts together what was stored', async () => {
    const { payer, seen, gates } = recorded();
    const sent = ['a', 'poor', 'b', 'unwanted', 'c'].map((name) => payer.send(named(name)));
    const settled = Promise.allSettled(sent);
    gates.stored.resolve();
    await vi.waitFor(() => expect(seen).toContain('broadcast a'));
    expect(seen).toEqual(['store a', 'broadcast a', 'store poor,b,unwanted,c']);
    gates.broadcast.resolve();
    expect(
      (await settled).map((result) => (result.status === 'fulfilled' ? result.value.isAccepted : 'poor')),
    ).toEqual([true, 'poor', true, false, true]);
    expect(seen.at(-1)).toBe('broadcast b,unwanted,c');
  });

  test('ends its last send after all others', async () => {
    const { payer, gates } = recorded();
    const ended: string[] = [];
    for (const name of ['a', 'b', 'poor'])
      void payer.send(named(name)).then(
        () => ended.push(name),
        () => ended.push(name),
      );
    const last = payer.lastSend.then(() => ended.length);
    gates.stored.resolve();
    gates.broadcast.resolve();
    expect(await last).toBe(3);
  });
});
