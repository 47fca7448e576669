import { setTimeout as delay } from 'node:timers/promises';
import {
  ChainUnavailableError,
  ContractRevertError,
  MinedRevertError,
  TooMuchGasError,
  UnsettledTransactionError,
} from '@latchkey/chain/errors';
import { accountConfigAbi } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { createActivity } from '@latchkey/service/turns';
import {
  type Address,
  encodeErrorResult,
  type Hex,
  keccak256,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Call, OtherRequestError, type OutboxOptions, openOutbox } from './outbox.ts';
import type { NewTransaction, Store, StoredTransaction } from './store.ts';

const CONTRACT: Address = `0x${'cc'.repeat(20)}`;
const [first, second] = [1, 2].map((key) => privateKeyToAccount(`0x${`0${key}`.repeat(32)}`)) as [
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
];
const signerOf = ({ address, signTransaction }: typeof first) => ({
  address,
  sign: (unsigned: Parameters<typeof signTransaction>[0]) => signTransaction(unsigned),
});
const call: Call = {
  data: '0x1234',
  account: 7n,
  idempotencyId: undefined,
  payment: undefined,
  capsChange: undefined,
};

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
});

/** An outbox on a chain and a store that a test changes. Transactions are mined as soon as they are sent, with `receiptOf`. */
function open(options: Partial<OutboxOptions> = {}) {
  const stored: StoredTransaction[] = [];
  const state = {
    gas: 100_000n,
    balances: new Map<Address, bigint>(),
    isMined: true,
    isRefused: false,
    receiptOf: (_hash: Hex): Partial<TransactionReceipt> => ({ status: 'success' }),
    replay: async (): Promise<object> => ({}),
  };
  const client = {
    estimateGas: vi.fn(async (_call: object) => state.gas),
    getBlock: vi.fn(async () => ({ baseFeePerGas: 4n })),
    estimateMaxPriorityFeePerGas: async () => 2n,
    getBalance: async ({ address }: { address: Address }) => state.balances.get(address) ?? 10n ** 18n,
    call: ({ to }: { to: Address }) => (to === CONTRACT ? state.replay() : Promise.resolve({})),
    getTransactionCount: async () => 0,
    async getTransactionReceipt({ hash }: { hash: Hex }) {
      if (!state.isMined) throw new TransactionReceiptNotFoundError({ hash });
      return {
        blockNumber: 9n,
        blockHash: '0x99',
        transactionHash: hash,
        logs: [],
        gasUsed: 5n,
        ...state.receiptOf(hash),
      };
    },
  };
  const sendRawTransactions = vi.fn(async (raws: readonly Hex[]) =>
    raws.map(() => (state.isRefused ? new Error('refused') : undefined)),
  );
  const chain = {
    chainId: 1,
    client,
    sendRawTransactions,
    agreed: (question: (asked: typeof client) => unknown) => question(client),
    heldByTwo: (question: (asked: typeof client) => unknown) => question(client),
    isPushing: () => false,
    awaitLog: async (_hashes: unknown, timeoutMs: number) => {
      await delay(timeoutMs);
      return false;
    },
    refreshHead: async () => 9n,
    saw: () => {},
    reach: async () => {},
  } as unknown as OutboxOptions['chain'];
  const add = vi.fn(async (payer: Address, added: readonly NewTransaction[]) => {
    const results: PromiseSettledResult<StoredTransaction>[] = [];
    for (const { sign, ...transaction } of added) {
      const nonce = stored.length;
      const { raw, hash } = await sign(nonce);
      const fields = {
        id: `${nonce}`,
        payer,
        nonce,
        raw,
        hashes: [hash],
        status: 'pending',
        droppedAt: null,
      };
      stored.push({ ...transaction, ...fields } as unknown as StoredTransaction);
      results.push({ status: 'fulfilled', value: stored.at(-1) as StoredTransaction });
    }
    return results;
  });
  const store = {
    add,
    byIdempotencyId: vi.fn(async (_id: string): Promise<StoredTransaction | undefined> => undefined),
    get: async (id: string) => stored.find((transaction) => transaction.id === id),
    touch: async () => undefined,
    settle: vi.fn(async () => {}),
    pending: vi.fn(async (_idleSec: number): Promise<StoredTransaction[]> => []),
    nextNonce: vi.fn(async (_payer: Address) => undefined),
    raiseNonce: vi.fn(async () => {}),
    lastBlock: async () => undefined,
    blocksFrom: vi.fn(async () => []),
  } as unknown as Store & {
    [Name in 'add' | 'byIdempotencyId' | 'settle' | 'pending' | 'nextNonce' | 'raiseNonce']: ReturnType<
      typeof vi.fn
    >;
  };
  const outbox = openOutbox({
    chain,
    store,
    signers: [first, second].map(signerOf),
    contract: CONTRACT,
    activity: createActivity(),
    onSettled: () => {},
    log: createLogger({ name: 'test', level: 'silent' }),
    maxPending: 10,
    manyPerSecond: 20,
    maxWriteGas: 200_000,
    timeoutMs: 5_000,
    repriceAfterMs: 60_000,
    confirmations: 1,
    ...options,
  });
  opened.push(outbox);
  const payers = () => stored.map(({ payer }) => payer);
  return { outbox, state, client, store, stored, sendRawTransactions, payers };
}
type Opened = ReturnType<typeof open>;

/** Adds a transaction that an earlier request with the id has stored. */
async function storeEarlier({ store }: Opened, data: Hex = call.data) {
  const raw = await first.signTransaction({
    type: 'eip1559',
    chainId: 1,
    to: CONTRACT,
    data,
    nonce: 90,
    gas: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  });
  const fields = { id: 'earlier', payer: first.address, nonce: 90, data, raw, hashes: [keccak256(raw)] };
  const earlier = {
    ...fields,
    account: 7n,
    status: 'pending',
    droppedAt: null,
  } as unknown as StoredTransaction;
  store.byIdempotencyId.mockResolvedValue(earlier);
  return earlier;
}

describe('a call', () => {
  test('is estimated, stored with headroom for its gas, broadcast, and answered with its receipt', async () => {
    const { outbox, client, stored, sendRawTransactions } = open();
    const receipt = await outbox.send(call);
    const [transaction] = stored;
    expect(stored).toMatchObject([
      { payer: first.address, data: '0x1234', gas: 160_000n, maxFeePerGas: 10n },
    ]);
    expect(client.estimateGas.mock.calls).toEqual([
      [{ account: first.address, to: CONTRACT, data: '0x1234' }],
    ]);
    expect(sendRawTransactions.mock.calls).toEqual([[[transaction?.raw]]]);
    expect(receipt.transactionHash).toBe(transaction?.hashes[0]);
  });

  test('that would cost more than a write may is refused, unless it has several writes', async () => {
    const { outbox, state, stored } = open();
    state.gas = 200_001n;
    await expect(outbox.send(call)).rejects.toThrow(TooMuchGasError);
    expect(stored).toEqual([]);
    await outbox.send({ ...call, writes: 2n });
    expect(stored).toHaveLength(1);
  });

  test('is sent by another payer when one has no funds, and by none when none has', async () => {
    const { outbox, state, payers } = open();
    // The limit of gas is 160,000, at 10 wei.
    state.balances.set(first.address, 1_599_999n);
    await outbox.send(call);
    expect(payers()).toEqual([second.address]);
    state.balances.set(first.address, 1_600_000n);
    state.balances.set(second.address, 0n);
    const exact = open();
    exact.state.balances.set(first.address, 1_600_000n);
    await exact.outbox.send(call);
    expect(exact.payers()).toEqual([first.address]);
    const poor = open();
    for (const { address } of [first, second]) poor.state.balances.set(address, 0n);
    await expect(poor.outbox.send(call)).rejects.toThrow(ChainUnavailableError);
    expect(poor.payers()).toEqual([]);
  });

  test('makes the outbox read the fees again when the node refuses it', async () => {
    const { outbox, state, client } = open();
    await outbox.send(call);
    await outbox.send(call);
    expect(client.getBlock).toHaveBeenCalledTimes(1);
    state.isRefused = true;
    await outbox.send(call);
    await outbox.send(call);
    expect(client.getBlock).toHaveBeenCalledTimes(2);
  });

  test('that is not mined in time can still take effect', async () => {
    const { outbox, state, store } = open({ timeoutMs: 100 });
    state.isMined = false;
    const error = await outbox.send(call).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnsettledTransactionError);
    expect((error as Error).message).toBe('the transaction was not mined in time');
    state.isMined = true;
    await vi.waitFor(() => expect(store.settle).toHaveBeenCalledOnce());
  });

  test('that finds no free payer in time is not sent', async () => {
    const { outbox, state, stored } = open({ timeoutMs: 300, maxPending: 1, signers: [signerOf(first)] });
    state.isMined = false;
    const blocking = outbox.send(call).catch(() => {});
    await vi.waitFor(() => expect(stored).toHaveLength(1));
    await expect(outbox.send(call)).rejects.toThrow('no payer was free in time');
    await blocking;
    expect(stored).toHaveLength(1);
  });
});

describe('a mined revert', () => {
  const reverted = () => ({ status: 'reverted' as const });

  test('is the error of the call', async () => {
    const { outbox, state, stored } = open();
    state.receiptOf = reverted;
    state.replay = () => Promise.reject(new ContractRevertError('0x12345678'));
    await expect(outbox.send(call)).rejects.toThrow(MinedRevertError);
    expect(stored).toHaveLength(1);
  });

  test('of removed payers is sent again, at most five times in all', async () => {
    const { outbox, state, stored } = open({ signers: [signerOf(first)] });
    state.receiptOf = reverted;
    const data = encodeErrorResult({
      abi: accountConfigAbi,
      errorName: 'OnlyApiPayer',
      args: [first.address],
    });
    state.replay = () => Promise.reject(new ContractRevertError(data));
    await expect(outbox.send(call)).rejects.toThrow('failed to settle the transaction');
    expect(stored).toHaveLength(5);
  });
});

describe('a repeated request', () => {
  const repeated = { ...call, idempotencyId: 'id' };

  test('has the receipt of the earlier one, and sends nothing', async () => {
    const own = open();
    const earlier = await storeEarlier(own);
    expect((await own.outbox.send(repeated)).transactionHash).toBe(earlier.hashes[0]);
    expect(own.store.byIdempotencyId.mock.calls).toEqual([['id']]);
    expect([own.stored, own.sendRawTransactions.mock.calls]).toEqual([[], []]);
  });

  test('with other calldata is refused', async () => {
    const own = open();
    await storeEarlier(own, '0x5678');
    await expect(own.outbox.send(repeated)).rejects.toThrow(OtherRequestError);
    expect(own.stored).toEqual([]);
  });

  test('is sent again when the earlier one reverted', async () => {
    const own = open();
    const earlier = await storeEarlier(own);
    own.state.receiptOf = (hash) => ({ status: hash === earlier.hashes[0] ? 'reverted' : 'success' });
    const { transactionHash } = await own.outbox.send(repeated);
    expect(own.stored.map(({ hashes }) => hashes)).toEqual([[transactionHash]]);
    expect(own.store.byIdempotencyId).toHaveBeenCalledTimes(1);
  });

  test('has the receipt of a process that has sent it meanwhile', async () => {
    const own = open();
    const earlier = await storeEarlier(own);
    own.store.byIdempotencyId.mockResolvedValueOnce(undefined);
    own.client.estimateGas.mockRejectedValue(new ContractRevertError('0x12345678'));
    expect((await own.outbox.send(repeated)).transactionHash).toBe(earlier.hashes[0]);
    own.store.byIdempotencyId.mockResolvedValue(undefined);
    await expect(own.outbox.send(repeated)).rejects.toThrow(ContractRevertError);
  });

  test('without an Idempotency-Key is not looked up', async () => {
    const own = open();
    await storeEarlier(own);
    await own.outbox.send(call);
    expect(own.store.byIdempotencyId).not.toHaveBeenCalled();
    expect(own.stored).toHaveLength(1);
  });
});

test('payers that the contract does not know are not used, and the status shows them', async () => {
  const { outbox, payers } = open();
  outbox.setApiPayers([second.address]);
  await outbox.send(call);
  expect(payers()).toEqual([second.address]);
  const idle = { pending: 0, signerFails: false };
  await vi.waitFor(() =>
    expect(outbox.status()).toEqual([
      { ...idle, address: first.address, isApiPayer: false },
      { ...idle, address: second.address, isApiPayer: true },
    ]),
  );
  outbox.setApiPayers([]);
  await expect(outbox.send(call)).rejects.toThrow('no payer is an api payer');
});

test('the status names a payer that cannot sign, and another one sends', async () => {
  const sign = () => Promise.reject(new Error('no key'));
  const { outbox, payers } = open({ signers: [{ address: first.address, sign }, signerOf(second)] });
  await outbox.send(call);
  expect(payers()).toEqual([second.address]);
  expect(outbox.status().map(({ signerFails }) => signerFails)).toEqual([true, false]);
});

test('a start follows all pending transactions and reads the nonces; a recheck follows those that are left alone', async () => {
  const own = open();
  const earlier = await storeEarlier(own);
  own.store.pending.mockResolvedValueOnce([earlier]);
  await own.outbox.start();
  expect(own.sendRawTransactions.mock.calls).toEqual([[[earlier.raw]]]);
  expect(own.store.raiseNonce.mock.calls).toEqual([
    [first.address, 0],
    [second.address, 0],
  ]);
  await vi.waitFor(() => expect(own.store.settle).toHaveBeenCalledOnce());
  own.store.nextNonce.mockClear();
  await own.outbox.recheck();
  expect(own.store.pending.mock.calls).toEqual([[0], [20]]);
  expect(own.store.nextNonce.mock.calls).toEqual([[first.address], [second.address]]);
});

test('a closed outbox sends nothing, and its follows end', async () => {
  const { outbox, state, stored } = open();
  state.isMined = false;
  const sent = outbox.send(call);
  sent.catch(() => {});
  await vi.waitFor(() => expect(stored).toHaveLength(1));
  state.isMined = true;
  await outbox.close();
  expect((await sent).status).toBe('success');
  await expect(outbox.send(call)).rejects.toThrow('the relayer is stopping');
  expect(stored).toHaveLength(1);
});
