import { ChainUnavailableError, ContractRevertError } from '@latchkey/chain/errors';
import { createLogger } from '@latchkey/service/logger';
import { type Address, BlockNotFoundError, type Hex } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import type { Outcome } from './follow.ts';
import { createLossLog, createNonceHealing, createReopening, readNonces, resume } from './recheck.ts';
import type { MinedBlock, StoredTransaction } from './store.ts';
import type { Verdict } from './transitions.ts';

const PAYER: Address = `0x${'aa'.repeat(20)}`;
const CONTRACT: Address = `0x${'cc'.repeat(20)}`;
const log = createLogger({ name: 'test', level: 'silent' });

describe('reopening', () => {
  /** A chain with these hashes by height, and a store with these mined blocks. */
  function open(chainHashes: Record<number, Hex>, mined: MinedBlock[], lastBlock?: bigint) {
    const state = { head: 100n, failure: undefined as Error | undefined, chainHashes };
    const from: bigint[] = [];
    const client = {
      async getBlock({ blockNumber }: { blockNumber: bigint }) {
        if (state.failure) throw state.failure;
        const hash = state.chainHashes[Number(blockNumber)];
        if (!hash) throw new BlockNotFoundError({ blockNumber });
        return { hash };
      },
    };
    const reopen = vi.fn(async ({ number }: MinedBlock) => [
      { id: `of ${number}` } as unknown as StoredTransaction,
    ]);
    const store = {
      async blocksFrom(number: bigint) {
        from.push(number);
        return mined;
      },
      lastBlock: async () => lastBlock,
      reopen,
    };
    const agreed = (question: (asked: typeof client) => unknown) => question(client);
    const chain = { agreed, refreshHead: async () => state.head } as never;
    return { state, from, reopen, reopenDropped: createReopening({ chain, store, log }) };
  }

  test('returns the transactions of blocks that another one replaced, and of no others', async () => {
    const mined: MinedBlock[] = [
      { number: 90n, hash: '0x90' },
      { number: 91n, hash: '0x91' },
      { number: 92n, hash: '0x92' },
      { number: 101n, hash: '0x101' },
    ];
    // The node does not have block 101 yet.
    const { reopen, reopenDropped } = open({ 90: '0x90', 91: '0xff', 92: '0xfe' }, mined);
    expect((await reopenDropped()).map(({ id }) => id)).toEqual(['of 91', 'of 92']);
    expect(reopen.mock.calls).toEqual([[mined[1]], [mined[2]]]);
  });

  test('is not decided by a node that does not answer', async () => {
    const { state, reopen, reopenDropped } = open({}, [{ number: 90n, hash: '0x90' }]);
    state.failure = new Error('down');
    expect(await reopenDropped()).toEqual([]);
    expect(reopen).not.toHaveBeenCalled();
  });

  test('is not kept from other blocks by one on which nodes contradict each other', async () => {
    const mined: MinedBlock[] = [
      { number: 90n, hash: '0x90' },
      { number: 91n, hash: '0x91' },
    ];
    const { state, from, reopenDropped } = open({ 91: '0xfe' }, mined);
    Object.defineProperty(state.chainHashes, 90, {
      get() {
        throw new Error('contradiction');
      },
    });
    expect((await reopenDropped()).map(({ id }) => id)).toEqual(['of 91']);
    state.head = 300n;
    await reopenDropped();
    expect(from).toEqual([36n, 36n]);
  });

  test('goes on after a block that fails, and looks as far back again', async () => {
    const mined: MinedBlock[] = [
      { number: 90n, hash: '0x90' },
      { number: 91n, hash: '0x91' },
    ];
    const { state, from, reopen, reopenDropped } = open({ 90: '0xff', 91: '0xfe' }, mined);
    reopen.mockRejectedValueOnce(new Error('unique'));
    expect((await reopenDropped()).map(({ id }) => id)).toEqual(['of 91']);
    state.head = 300n;
    expect((await reopenDropped()).map(({ id }) => id)).toEqual(['of 90', 'of 91']);
    expect(from).toEqual([36n, 36n]);
  });

  test('looks at the blocks that were not final at its last look, or at the last block of another process', async () => {
    const { state, from, reopenDropped } = open({}, [], 70n);
    await reopenDropped();
    state.head = 300n;
    await reopenDropped();
    state.head = 290n;
    await reopenDropped();
    expect(from).toEqual([6n, 36n, 226n]);
    const fresh = open({}, []);
    await fresh.reopenDropped();
    expect(fresh.from).toEqual([36n]);
  });
});

describe('nonces', () => {
  function open(stored: number | undefined, inChain: number, firstOpen?: number) {
    const state = { stored, inChain, firstOpen, isDown: false };
    const client = {
      async getTransactionCount(asked: object) {
        if (state.isDown) throw new Error('down');
        expect(asked).toEqual({ address: PAYER, blockTag: 'pending' });
        return state.inChain;
      },
      estimateGas: async () => 21_000n,
    };
    const store = {
      nextNonce: async () => state.stored,
      raiseNonce: vi.fn(async (_payer: Address, _nonce: number) => {}),
      lowerNonce: vi.fn(async (..._change: [Address, number, number, bigint]) => true),
      firstOpen: async (_payer: Address, _nonce: number) => state.firstOpen,
    };
    const sendRawTransactions = vi.fn(async (_raws: readonly Hex[]) => [undefined as unknown]);
    const heldByTwo = (question: (asked: typeof client) => unknown) => question(client);
    const chain = { client, heldByTwo, head: () => 100n, sendRawTransactions } as never;
    const sign = vi.fn(async ({ nonce }: { nonce: number }) => ({
      raw: `0x${nonce}` as Hex,
      hash: '0x' as Hex,
    }));
    const market = { fees: async () => ({ maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }) };
    const heal = createNonceHealing({ chain, store, market, sign: sign as never, maxPending: 32, log });
    return {
      state,
      store,
      sign,
      sendRawTransactions,
      heal,
      read: () => readNonces({ chain, store }, [PAYER]),
    };
  }

  test('are raised to those of the chain at a start, and lowered with the first block that is not final', async () => {
    const behind = open(3, 5);
    await behind.read();
    expect(behind.store.raiseNonce.mock.calls).toEqual([[PAYER, 5]]);
    expect(behind.store.lowerNonce).not.toHaveBeenCalled();
    const ahead = open(7, 5);
    await ahead.read();
    expect(ahead.store.lowerNonce.mock.calls).toEqual([[PAYER, 7, 5, 36n]]);
    const first = open(undefined, 0);
    await first.read();
    expect(first.store.raiseNonce.mock.calls).toEqual([[PAYER, 0]]);
    const equal = open(5, 5);
    await equal.read();
    expect(equal.store.lowerNonce).not.toHaveBeenCalled();
  });

  test('cannot be read without the chain', async () => {
    const down = open(3, 5);
    down.state.isDown = true;
    await expect(down.read()).rejects.toThrow(ChainUnavailableError);
    expect(down.store.raiseNonce).not.toHaveBeenCalled();
  });

  test('ahead of the chain are lowered when they are so twice', async () => {
    const { store, sign, heal } = open(7, 5);
    await heal(PAYER);
    expect(store.lowerNonce).not.toHaveBeenCalled();
    await heal(PAYER);
    expect(store.lowerNonce.mock.calls).toEqual([[PAYER, 7, 5, 36n]]);
    expect(sign).not.toHaveBeenCalled();
  });

  test('that a pending transaction waits for are filled when they are missing twice', async () => {
    const { state, sign, sendRawTransactions, heal } = open(8, 5, 7);
    await heal(PAYER);
    expect(sign).not.toHaveBeenCalled();
    sendRawTransactions.mockResolvedValueOnce([new Error('refused')]);
    await heal(PAYER);
    const filler = { payer: PAYER, data: '0x', gas: 21_000n, to: PAYER, value: 0n };
    expect(sign.mock.calls).toMatchObject([[{ ...filler, nonce: 5 }], [{ ...filler, nonce: 6 }]]);
    expect(sendRawTransactions.mock.calls).toEqual([[['0x5']], [['0x6']]]);
    state.inChain = 7;
    await heal(PAYER);
    expect(sendRawTransactions).toHaveBeenCalledTimes(2);
  });

  test('far ahead of the chain are not filled, and the log names the payer', async () => {
    const error = vi.spyOn(log, 'error').mockClear();
    for (const [firstOpen, filled] of [
      [5 + 96, 96],
      [5 + 97, 0],
      [2_000_000_000, 0],
    ] as const) {
      const { sendRawTransactions, heal } = open(firstOpen + 1, 5, firstOpen);
      for (let i = 0; i < 2; i++) await heal(PAYER);
      expect(sendRawTransactions).toHaveBeenCalledTimes(filled);
    }
    expect(error).toHaveBeenCalledTimes(2);
    expect(error.mock.calls[0]?.[0]).toMatchObject({ payer: PAYER, inChain: 5, firstOpen: 102 });
  });

  test('of a payer that never had one are left', async () => {
    const { sign, store, heal } = open(undefined, 5, 7);
    for (let i = 0; i < 2; i++) await heal(PAYER);
    expect([sign.mock.calls, store.lowerNonce.mock.calls]).toEqual([[], []]);
  });
});

describe('resume', () => {
  function open(outcome: Promise<Outcome>, replay: () => Promise<object> = async () => ({})) {
    const settle = vi.fn((_transaction: StoredTransaction, _verdict: Verdict) => outcome);
    const error = vi.spyOn(log, 'error').mockClear();
    const call = vi.fn((_call: object) => replay());
    const broadcast = vi.fn(async (transactions: StoredTransaction[]) =>
      transactions.map((): Verdict => 'accepted'),
    );
    const parts = {
      chain: { client: { call } } as never,
      contract: CONTRACT,
      settlements: { settle, has: (id: string) => id === 'followed', ended: async () => {} },
      broadcast,
      log,
    };
    return { parts, settle, broadcast, call, error };
  }
  const transactionOf = (id: string, droppedAt: Date | null = null) =>
    ({ id, payer: PAYER, nonce: 1, account: 7n, data: '0x1234', droppedAt }) as unknown as StoredTransaction;
  const reverted = {
    status: 'reverted',
    receipt: { blockNumber: 9n, transactionHash: '0x77' },
  } as unknown as Outcome;

  test('broadcasts together, and follows, what is not followed', async () => {
    const { parts, settle, broadcast } = open(Promise.resolve({ status: 'replaced' }));
    const [one, two] = [transactionOf('one'), transactionOf('two')];
    // Its nonce is used: by another transaction, or by itself.
    broadcast.mockResolvedValueOnce(['refused', 'accepted']);
    await resume(parts, [transactionOf('followed'), one, two]);
    expect(broadcast.mock.calls).toEqual([[[one, two]]]);
    expect(settle.mock.calls).toEqual([
      [one, 'unknown'],
      [two, 'accepted'],
    ]);
  });

  test('a thousand pending transactions take a few calls, in their order', async () => {
    const { parts, settle, broadcast } = open(Promise.resolve({ status: 'replaced' }));
    const many = Array.from({ length: 1_000 }, (_, index) => transactionOf(`${index}`));
    await resume(parts, many);
    expect(broadcast.mock.calls.length).toBeLessThan(50);
    expect(settle.mock.calls.map(([transaction]) => transaction)).toEqual(many);
  });

  test('logs why a write that a reorg dropped cannot succeed again', async () => {
    const revert = new ContractRevertError('0x12345678');
    const { parts, call, error } = open(Promise.resolve(reverted), () => Promise.reject(revert));
    await resume({ ...parts, onLost: createLossLog(parts) }, [transactionOf('dropped', new Date())]);
    await vi.waitFor(() => expect(error).toHaveBeenCalledOnce());
    expect(call.mock.calls).toEqual([[{ account: PAYER, to: CONTRACT, data: '0x1234', blockNumber: 9n }]]);
    expect(error.mock.calls[0]?.[0]).toEqual({ err: revert, payer: PAYER, account: '7', hash: '0x77' });
  });

  test.each<[string, () => Promise<Outcome>, Date | null]>([
    ['that a reorg did not drop', async () => reverted, null],
    ['that succeeds again', async () => ({ ...reverted, status: 'mined' }) as Outcome, new Date()],
    ['whose follow ends', () => Promise.reject(new Error('stopping')), new Date()],
  ])('logs no loss of a write %s', async (_what, outcome, droppedAt) => {
    const { parts, error, call } = open(outcome());
    await resume({ ...parts, onLost: createLossLog(parts) }, [transactionOf('one', droppedAt)]);
    await new Promise(setImmediate);
    expect([error.mock.calls, call.mock.calls]).toEqual([[], []]);
  });
});
