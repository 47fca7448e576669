/** How the follow of a transaction ends. */
import type { Chain } from '@latchkey/chain/chain';
import { createLogger } from '@latchkey/service/logger';
import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { createFollow, type FollowOptions } from './follow.ts';
import { reprice } from './reprice.ts';
import type { StoredTransaction } from './store.ts';
import type { Verdict } from './transitions.ts';

const transaction = {
  id: 'one',
  payer: `0x${'01'.repeat(20)}`,
  nonce: 4,
  data: '0x1234',
  gas: 9n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  raw: '0x0a',
  hashes: ['0xa1'],
  status: 'pending',
  droppedAt: null,
  cancelRequestedAt: null,
  account: 7n,
} as unknown as StoredTransaction;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A chain whose answers a test sets, on a clock that runs while a follow waits. */
function open(options: Partial<FollowOptions> = {}) {
  let clockMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const closing = new AbortController();
  const state = {
    receipts: new Map<Hex, Partial<TransactionReceipt>>(),
    count: 4,
    /** The count at a block below the head, and what every node says about it. */
    countBelow: 4,
    /** The count that two nodes have, when it is another one. */
    agreedCount: undefined as number | undefined,
    head: 100n,
    isPushing: true,
    hasLog: false,
    pausesMs: [] as number[],
    stored: transaction as StoredTransaction | undefined,
  };
  const client = {
    async getTransactionReceipt({ hash }: { hash: Hex }) {
      const receipt = state.receipts.get(hash);
      if (!receipt) throw new TransactionReceiptNotFoundError({ hash });
      return {
        blockNumber: 50n,
        blockHash: '0x50',
        transactionIndex: 2,
        transactionHash: hash,
        status: 'success',
        logs: [],
        ...receipt,
      };
    },
    getTransactionCount: vi.fn(async ({ blockNumber }: { blockNumber?: bigint }) =>
      blockNumber === undefined ? state.count : state.countBelow,
    ),
    getBlock: async () => ({ baseFeePerGas: 4n }),
    estimateMaxPriorityFeePerGas: async () => 1n,
  };
  const ofTwo = {
    ...client,
    getTransactionCount: async (asked: { blockNumber?: bigint }) =>
      state.agreedCount ?? client.getTransactionCount(asked),
  };
  const chain = {
    client,
    agreed: (question: (asked: typeof client) => unknown) => question(client),
    heldByTwo: (question: (asked: typeof client) => unknown) => question(ofTwo as typeof client),
    isPushing: () => state.isPushing,
    async awaitLog(_hashes: unknown, timeoutMs: number) {
      state.pausesMs.push(timeoutMs);
      if (state.hasLog) return true;
      clockMs += timeoutMs;
      if (clockMs > 15_000) closing.abort(new Error('the time is over'));
      return false;
    },
    refreshHead: async () => state.head,
    saw: vi.fn(),
  };
  const store = {
    get: async () => state.stored,
    touch: vi.fn(async (): Promise<StoredTransaction | undefined> => state.stored),
    settle: vi.fn(async (_id: string, _outcome: object) => {}),
    raiseNonce: vi.fn(async (_payer: string, _nonce: number) => {}),
    reprice: vi.fn(async () => {}),
  };
  const sign = vi.fn(async (_unsigned: object) => ({ raw: '0x0b' as Hex, hash: '0xb1' as Hex }));
  const broadcast = vi.fn(async (_transactions: StoredTransaction[]): Promise<Verdict[]> => ['accepted']);
  const renumber = vi.fn(async (known: StoredTransaction) => known);
  const onSettled = vi.fn(async () => {});
  const log = createLogger({ name: 'test', level: 'silent' });
  const isReached = vi.fn(async (_block: bigint) => true);
  const follow = createFollow({
    chain: chain as unknown as Chain,
    store,
    reprice: (known) => reprice({ chain: chain as unknown as Chain, store, sign, log }, known),
    broadcast,
    renumber,
    isReached,
    mark: async (known) => known,
    onSettled,
    repriceAfterMs: 30_000,
    confirmations: 1,
    log,
    signal: closing.signal,
    ...options,
  });
  return { state, client, chain, store, sign, broadcast, renumber, onSettled, isReached, follow };
}

test.each([
  ['success', 'mined'],
  ['reverted', 'reverted'],
] as const)('a receipt of %s settles the transaction as %s', async (ofReceipt, status) => {
  const { state, chain, store, onSettled, broadcast, isReached, follow } = open();
  state.receipts.set('0xa1', { status: ofReceipt });
  const outcome = await follow(transaction, 'accepted');
  expect(outcome).toMatchObject({ status, receipt: { transactionHash: '0xa1' } });
  const place = { minedHash: '0xa1', blockNumber: 50n, blockHash: '0x50', transactionIndex: 2 };
  expect(store.settle.mock.calls).toEqual([['one', { status, ...place }]]);
  expect(chain.saw.mock.calls).toEqual([[50n]]);
  expect(onSettled).toHaveBeenCalledOnce();
  expect([broadcast.mock.calls, isReached.mock.calls]).toEqual([[], []]);
});

test('a success is awaited until its block has its confirmations, and is still in the chain', async () => {
  const { state, isReached, store, follow } = open({ confirmations: 3 });
  state.receipts.set('0xa1', {});
  isReached.mockImplementationOnce(async () => {
    // A reorg, after which it is in another block.
    state.receipts.set('0xa1', { blockNumber: 51n, blockHash: '0x51' });
    return true;
  });
  expect(await follow(transaction, 'accepted')).toMatchObject({ receipt: { blockHash: '0x51' } });
  expect(isReached.mock.calls).toEqual([[52n], [53n]]);
  expect(store.settle).toHaveBeenCalledOnce();
});

test('a cancelled transaction whose nonce another one used is replaced, and never sent again', async () => {
  const { state, client, store, broadcast, renumber, follow } = open();
  Object.assign(state, { count: 6, countBelow: 6 });
  const cancelled = { ...transaction, cancelRequestedAt: new Date() };
  state.stored = cancelled;
  expect(await follow(cancelled, 'unknown')).toEqual({ status: 'replaced' });
  expect(client.getTransactionCount).toHaveBeenCalledWith({ address: transaction.payer, blockNumber: 36n });
  expect(store.raiseNonce.mock.calls).toEqual([[transaction.payer, 6]]);
  expect(store.settle.mock.calls).toEqual([['one', { status: 'replaced' }]]);
  expect([broadcast.mock.calls, renumber.mock.calls]).toEqual([[], []]);
});

test('a transaction that nodes refused gets another nonce immediately, and waits for final blocks when a node can have it', async () => {
  const { state, client, store, broadcast, renumber, follow } = open();
  Object.assign(state, { count: 5, countBelow: 4 });
  const sentAgain: StoredTransaction = { ...transaction, nonce: 5, hashes: ['0xa1', '0xc1'] };
  renumber.mockImplementationOnce(async () => {
    state.stored = sentAgain;
    return sentAgain;
  });
  broadcast.mockImplementationOnce(async () => {
    state.count = 6;
    return ['unknown'];
  });
  await expect(follow(transaction, 'refused')).rejects.toThrow('the time is over');
  expect([renumber.mock.calls, broadcast.mock.calls]).toEqual([[[transaction]], [[[sentAgain]]]]);
  expect(store.settle).not.toHaveBeenCalled();
  expect(client.getTransactionCount).toHaveBeenCalledWith({ address: transaction.payer, blockNumber: 36n });
});

test('a form that another process signed and that is mined settles the transaction', async () => {
  const { state, store, follow } = open();
  state.count = 5;
  state.stored = { ...transaction, hashes: ['0xa1', '0xa2'] };
  store.touch.mockResolvedValueOnce(undefined);
  state.receipts.set('0xa2', {});
  expect(await follow(transaction, 'unknown')).toMatchObject({
    status: 'mined',
    receipt: { transactionHash: '0xa2' },
  });
  expect(store.settle).toHaveBeenCalledOnce();
});

test('a transaction is not given up for a nonce that is used only in blocks that a reorg can drop', async () => {
  const { state, client, store, broadcast, follow } = open({ confirmations: 3 });
  state.count = 5;
  await expect(follow(transaction, 'unknown')).rejects.toThrow('the time is over');
  expect(client.getTransactionCount).toHaveBeenCalledWith({ address: transaction.payer, blockNumber: 36n });
  expect([store.settle.mock.calls, broadcast.mock.calls]).toEqual([[], []]);
  // Later transactions of the payer do not wait.
  expect(store.raiseNonce).toHaveBeenCalledWith(transaction.payer, 5);
  const young = open({ confirmations: 3 });
  Object.assign(young.state, { count: 5, countBelow: 5, head: 1n });
  await expect(young.follow(transaction, 'unknown')).rejects.toThrow('the time is over');
  expect(young.store.settle).not.toHaveBeenCalled();
});

test.each([
  ['of the far future', 1_000_000],
  ['that is too low', 1],
])(
  'a count %s, which one node tells, raises no nonce, and the transaction is broadcast again',
  async (_which, told) => {
    const { state, store, broadcast, renumber, follow } = open();
    Object.assign(state, { count: told, agreedCount: 4 });
    await expect(follow(transaction, 'accepted')).rejects.toThrow('the time is over');
    expect([store.raiseNonce.mock.calls, store.settle.mock.calls, renumber.mock.calls]).toEqual([[], [], []]);
    expect(broadcast).toHaveBeenCalled();
  },
);

test('the nonce is raised to the count that two nodes have, not to that of one', async () => {
  const { state, store, follow } = open();
  Object.assign(state, { count: 1_000_000, agreedCount: 6 });
  await expect(follow(transaction, 'unknown')).rejects.toThrow('the time is over');
  expect(new Set(store.raiseNonce.mock.calls.map(([, nonce]) => nonce))).toEqual(new Set([6]));
});

test('a success that a reorg dropped is sent again with another nonce once that is final, and then settled', async () => {
  const { state, client, store, renumber, follow } = open();
  const dropped = { ...transaction, droppedAt: new Date() };
  Object.assign(state, { count: 5, countBelow: 5, stored: dropped });
  renumber.mockImplementationOnce(async () => {
    const sentAgain: StoredTransaction = { ...dropped, nonce: 5, hashes: ['0xa1', '0xc1'] };
    state.stored = sentAgain;
    state.receipts.set('0xc1', {});
    return sentAgain;
  });
  expect(await follow(dropped, 'unknown')).toMatchObject({
    status: 'mined',
    receipt: { transactionHash: '0xc1' },
  });
  expect(client.getTransactionCount).toHaveBeenCalledWith({ address: transaction.payer, blockNumber: 36n });
  expect(renumber.mock.calls).toEqual([[dropped]]);
  expect(store.raiseNonce.mock.calls).toEqual([[transaction.payer, 5]]);
});

test('a transaction that another process gave another nonce is broadcast soon', async () => {
  const { state, store, broadcast, follow } = open();
  const moved = { ...transaction, payer: `0x${'02'.repeat(20)}` as const, nonce: 5 };
  Object.assign(state, { count: 5, stored: moved });
  store.touch.mockResolvedValueOnce(undefined);
  let atMs = 0;
  broadcast.mockImplementationOnce(async () => {
    atMs = performance.now();
    state.receipts.set('0xa1', {});
    return ['accepted'];
  });
  expect(await follow(transaction, 'unknown')).toMatchObject({ status: 'mined' });
  expect(broadcast.mock.calls).toEqual([[[moved]]]);
  expect(atMs).toBeLessThan(2_000);
});

test('the form at a higher price has the same call and nonce', async () => {
  const { state, sign, store, broadcast, follow } = open({ repriceAfterMs: 5_000 });
  vi.spyOn(state, 'head', 'get').mockImplementation(() => BigInt(Math.floor(performance.now())));
  broadcast.mockImplementation(async ([sent]) => {
    if (sent?.raw === '0x0b') state.receipts.set('0xb1', {});
    return ['accepted'];
  });
  expect(await follow(transaction, 'accepted')).toMatchObject({ receipt: { transactionHash: '0xb1' } });
  const fees = { maxFeePerGas: 12n, maxPriorityFeePerGas: 2n };
  expect(sign.mock.calls).toEqual([[{ ...transaction, ...fees }]]);
  expect(store.reprice.mock.calls).toEqual([['one', { raw: '0x0b', hash: '0xb1' }, fees]]);
  expect(broadcast.mock.calls.at(-1)).toEqual([
    [{ ...transaction, ...fees, raw: '0x0b', hashes: ['0xa1', '0xb1'] }],
  ]);
});

test.each([
  [true, [250, 375]],
  [false, [4, 6]],
])('pauses between two looks are longer while logs are pushed: %s', async (isPushing, pausesMs) => {
  const { state, follow } = open();
  state.isPushing = isPushing;
  await expect(follow(transaction, 'accepted')).rejects.toThrow('the time is over');
  expect(state.pausesMs.slice(0, 2)).toEqual(pausesMs);
});

test('pauses are short after the log of the transaction, which a node can push before the receipt', async () => {
  const { state, client, follow } = open();
  state.hasLog = true;
  let looks = 0;
  const { getTransactionReceipt } = client;
  client.getTransactionReceipt = async (asked) => {
    if (++looks === 8) state.receipts.set('0xa1', {});
    return getTransactionReceipt(asked);
  };
  const startMs = Date.now();
  expect(await follow(transaction, 'accepted')).toMatchObject({ status: 'mined' });
  // 150 ms; otherwise about ten seconds.
  expect(Date.now() - startMs).toBeLessThan(4_000);
});
