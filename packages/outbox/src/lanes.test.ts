import { ChainUnavailableError } from '@latchkey/chain/errors';
import { createLogger } from '@latchkey/service/logger';
import { BaseError, parseTransaction, type TransactionSerializableEIP1559 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import type { Outcome } from './follow.ts';
import {
  type Broadcast,
  chooseLane,
  counted,
  createBroadcast,
  createSettlements,
  createSign,
  openLane,
  openPayerLane,
  rest,
} from './lanes.ts';
import type { NewTransaction, Store, StoredTransaction } from './store.ts';

const idle = { isApiPayer: true, restsUntilMs: 0, pending: 0, sending: 0 };

describe('chooseLane', () => {
  test.each([
    { title: 'the one with the fewest in-flight transactions', lanes: [{ pending: 1 }, {}], chosen: 1 },
    {
      title: 'one that is sending, whatever it has in flight',
      lanes: [{ pending: 1 }, { pending: 2, sending: 1 }],
      chosen: 1,
    },
    {
      title: 'another one when it sends eight',
      lanes: [{ pending: 1 }, { pending: 2, sending: 8 }],
      chosen: 0,
    },
    {
      title: 'another one when it has `maxPending`',
      lanes: [{ pending: 1 }, { pending: 9, sending: 7 }],
      chosen: 0,
    },
    { title: 'none while every one has `maxPending`', lanes: [{ pending: 9 }, { pending: 9 }], chosen: -1 },
    { title: 'none that rests', lanes: [{ restsUntilMs: 6 }, { pending: 3 }], chosen: 1 },
    { title: 'one that has rested', lanes: [{ restsUntilMs: 5 }, { pending: 3 }], chosen: 0 },
    {
      title: 'none that the contract does not know',
      lanes: [{ isApiPayer: false }, { pending: 3 }],
      chosen: 1,
    },
  ])('chooses $title', ({ lanes, chosen }) => {
    const all = lanes.map((lane) => ({ ...idle, ...lane }));
    expect(chooseLane(all, 9, 5)).toBe(all[chosen]);
  });

  test('throws when no lane can pay', () => {
    const lanes = [
      { ...idle, restsUntilMs: 6 },
      { ...idle, isApiPayer: false },
    ];
    expect(() => chooseLane(lanes, 9, 5)).toThrow(ChainUnavailableError);
  });

  test('skips a lane for five seconds after it could not pay', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const lane = { ...idle };
    rest(lane);
    clock.mockRestore();
    expect(() => chooseLane([lane], 9, 5_999)).toThrow(ChainUnavailableError);
    expect(chooseLane([lane], 9, 6_000)).toBe(lane);
  });
});

describe('broadcasting', () => {
  test('reports the transactions that the node has, and counts only those that it accepted now', async () => {
    const refused = (details: string) => new BaseError('refused', { details });
    const errors = [
      undefined,
      refused('already known'),
      refused('AlreadyKnown'),
      refused('Known transaction'),
      refused('known transaction: 0x77'),
      refused('transaction already imported'),
      refused('unknown transaction type'),
      refused('nonce too low: next nonce 8, tx nonce 7'),
      new Error('already known'),
    ];
    const transactions = errors.map((_, nonce) => ({ nonce, raw: '0x' }) as unknown as StoredTransaction);
    const held = vi.fn((_transactions: StoredTransaction[]) => {});
    const chain = { sendRawTransactions: async () => errors };
    const broadcast = createBroadcast(chain, createLogger({ name: 'test', level: 'silent' }), held);
    expect(await broadcast(transactions)).toEqual(
      errors.map((error) =>
        error === undefined ? 'accepted' : /nonce/i.test(`${error}`) ? 'refused' : 'unknown',
      ),
    );
    expect(held.mock.calls).toEqual([[transactions.slice(0, 6)]]);
  });
});

describe('counted', () => {
  test.each([false, true])('counts work until it ends or fails (isSending: %s)', async (isSending) => {
    const lane = { ...idle };
    const work = Promise.withResolvers<void>();
    const ended = counted(lane, () => work.promise, { isSending });
    expect(lane).toMatchObject({ pending: 1, sending: Number(isSending) });
    work.reject(new Error('lost'));
    await expect(ended).rejects.toThrow('lost');
    expect(lane).toEqual(idle);
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
    const store: Pick<Store, 'add'> = {
      async add(_payer, added) {
        seen.push(`store ${added.map(nameOf)}`);
        await gates.stored.promise;
        return added.map((transaction) =>
          nameOf(transaction) === 'poor'
            ? { status: 'rejected', reason: new Error('poor') }
            : {
                status: 'fulfilled',
                value: { ...transaction, nonce: nonce++ } as unknown as StoredTransaction,
              },
        );
      },
    };
    const broadcast: Broadcast = async (transactions) => {
      seen.push(`broadcast ${transactions.map(nameOf)}`);
      await gates.broadcast.promise;
      return transactions.map((transaction) => (nameOf(transaction) === 'unwanted' ? 'unknown' : 'accepted'));
    };
    return { payer: openLane<NewTransaction>('0x01', store, broadcast), seen, gates };
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
      (await settled).map((result) => (result.status === 'fulfilled' ? result.value.verdict : 'poor')),
    ).toEqual(['accepted', 'poor', 'accepted', 'unknown', 'accepted']);
    expect(seen.at(-1)).toBe('broadcast b,unwanted,c');
  });

  test.each([
    [19_999, 'refused'],
    [20_000, 'unknown'],
  ])(
    'believes a refusal of its first broadcast only before others take the transaction: after %i ms it is %s',
    async (waitedMs, verdict) => {
      const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
      const store: Pick<Store, 'add'> = {
        add: async () => [{ status: 'fulfilled', value: {} as StoredTransaction }],
      };
      const payer = openLane<NewTransaction>('0x01', store, async () => {
        clock.mockReturnValue(waitedMs);
        return ['refused'];
      });
      expect(await payer.send(named('a'))).toMatchObject({ verdict });
      clock.mockRestore();
    },
  );

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

const transaction: StoredTransaction = {
  id: 'one',
  payer: '0xaa',
  nonce: 0,
  data: '0x',
  gas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  raw: '0x',
  hashes: [],
  status: 'pending',
  minedHash: null,
  blockNumber: null,
  droppedAt: null,
  cancelRequestedAt: null,
  account: 1n,
};

/** Settlements whose `follow` calls are ended by the test. */
function openSettlements() {
  const lane = { ...idle };
  const followed = Promise.withResolvers<Outcome>();
  const follow = vi.fn(() => followed.promise);
  const find = (address: string) => (address === '0xaa' ? lane : undefined);
  return { ...createSettlements(find, follow), lane, follow, followed };
}

describe('settle', () => {
  test('follows a transaction once, however often it is called', async () => {
    const { settle, has, lane, follow, followed } = openSettlements();
    const both = [settle(transaction, 'accepted'), settle(transaction, 'unknown')];
    expect(has('one')).toBe(true);
    expect(lane.pending).toBe(1);
    followed.resolve({ status: 'replaced' });
    expect(await Promise.all(both)).toEqual([{ status: 'replaced' }, { status: 'replaced' }]);
    expect(follow.mock.calls).toEqual([[transaction, 'accepted']]);
    expect([has('one'), lane.pending]).toEqual([false, 0]);
  });

  test('follows a transaction again after a failure', async () => {
    const { settle, follow, followed } = openSettlements();
    const failed = settle(transaction, 'accepted');
    followed.reject(new Error('the relayer is stopping'));
    await expect(failed).rejects.toThrow('the relayer is stopping');
    await expect(settle(transaction, 'accepted')).rejects.toThrow('the relayer is stopping');
    expect(follow).toHaveBeenCalledTimes(2);
  });

  test('follows the transaction of a payer that this process does not have', async () => {
    const { settle, lane, followed } = openSettlements();
    const settled = settle({ ...transaction, payer: `0x${'01'.repeat(20)}` }, 'unknown');
    expect(lane.pending).toBe(0);
    followed.resolve({ status: 'replaced' });
    expect(await settled).toEqual({ status: 'replaced' });
  });
});

test('ended waits for all followed transactions, including failures', async () => {
  const { settle, ended, followed } = openSettlements();
  void settle(transaction, 'accepted');
  const isOver = vi.fn();
  const waiting = ended().then(isOver);
  await new Promise(setImmediate);
  expect(isOver).not.toHaveBeenCalled();
  followed.reject(new Error('the relayer is stopping'));
  await waiting;
  expect(isOver).toHaveBeenCalled();
});

describe('createSign', () => {
  const { address, signTransaction } = privateKeyToAccount(`0x${'11'.repeat(32)}`);
  const [contract, other] = [`0x${'22'.repeat(20)}`, `0x${'33'.repeat(20)}`] as const;
  const signer = { address, sign: (unsigned: TransactionSerializableEIP1559) => signTransaction(unsigned) };
  const lane = openPayerLane(signer, { add: async () => [] }, async () => []);
  const sign = createSign(1, contract, () => lane);
  const unsigned = {
    payer: address,
    nonce: 1,
    data: '0xab' as const,
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
  };

  test('signs a call of the contract without value', async () => {
    const signed = parseTransaction((await sign(unsigned)).raw);
    expect(signed).toMatchObject({ to: contract, data: '0xab', nonce: 1, maxFeePerGas: 2n });
    expect(signed.value).toBeUndefined();
  });

  test('keeps receiver and value when it signs another form of a transaction', async () => {
    const { raw } = await sign({ ...unsigned, data: '0x', to: other, value: 7n });
    const repriced = await sign({ ...unsigned, data: '0x', raw, maxFeePerGas: 3n });
    expect(parseTransaction(repriced.raw)).toMatchObject({ to: other, value: 7n, maxFeePerGas: 3n });
  });
});
