/** Transactions of wallets from their nonce to their final state. */
import { PendingLimitError, UnsignedError, WalletCallError } from '@latchkey/outbox';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { type Hex, keccak256, parseTransaction } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import {
  CHAIN_ID,
  callOf,
  openWalletFixture,
  type Process,
  type Sign,
  signer,
} from '../../test/wallet-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const fixture = disposeAfterAll(await openWalletFixture());
const [ours, theirs] = [await fixture.start(), await fixture.start()];

const { signal } = new AbortController();
const send = (
  process: Process,
  wallet: PrivateKeyAccount,
  call = callOf(wallet),
  sign: Sign = signer(wallet, call),
) => process.send(call, sign, signal);
const untilStatus = (id: string, status: string) =>
  until(`transaction is ${status}`, async () => {
    const row = await fixture.row(id);
    return row.status === status && row;
  });
const mine = (blocks = 1) => fixture.anvil.client.mine({ blocks });
/** Mines blocks only on request while `work` runs. */
const withoutMining = async <T>(work: () => Promise<T>): Promise<T> => {
  await fixture.anvil.client.setAutomine(false);
  try {
    return await work();
  } finally {
    await fixture.anvil.client.setAutomine(true);
    await mine();
  }
};
/** Sends a transaction of the wallet outside of the service. */
const sendOutside = async (wallet: PrivateKeyAccount, nonce: number): Promise<Hex> => {
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  const to = wallet.address;
  const serializedTransaction = await wallet.signTransaction({ chainId: CHAIN_ID, to, nonce, ...fees });
  return fixture.anvil.client.sendRawTransaction({ serializedTransaction });
};

describe('nonces', () => {
  test('eight concurrent sends of one wallet from two processes are mined with consecutive nonces', async () => {
    const wallet = await fixture.wallet();
    const sent = await Promise.all(
      [ours, theirs, ours, theirs, ours, theirs, ours, theirs].map((process) => send(process, wallet)),
    );
    expect(sent.map(({ nonce }) => nonce).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (const { id } of sent) await untilStatus(id, 'mined');
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(8);
  });

  test('a process that sends all the time leaves turns to another one', async () => {
    const wallet = await fixture.wallet();
    let isOver = false;
    let turns = 0;
    const busy = (async () => {
      while (!isOver) {
        await Promise.all([send(ours, wallet), send(ours, wallet)]);
        turns++;
      }
    })();
    for (let i = 0; i < 3; i++) {
      const before = turns;
      await send(theirs, wallet);
      expect(turns - before).toBeLessThan(5);
    }
    isOver = true;
    await busy;
  });

  test('a transaction outside of the service before a send is noticed', async () => {
    const wallet = await fixture.wallet();
    await send(ours, wallet);
    await sendOutside(wallet, 1);
    expect((await send(ours, wallet)).nonce).toBe(2);
  });

  /** Sends two transactions, and another program takes the nonce of the first one before it is mined. */
  const sendDisplaced = (wallet: PrivateKeyAccount) =>
    withoutMining(async () => {
      const first = await send(ours, wallet);
      await sendOutside(wallet, 0);
      return [first, await send(ours, wallet)] as const;
    });

  test('a transaction outside of the service on the same nonce replaces it when that is final, and the next one follows', async () => {
    const wallet = await fixture.wallet();
    const [lost, next] = await sendDisplaced(wallet);
    expect(next.nonce).toBe(1);
    await untilStatus(next.id, 'mined');
    await mine(66);
    expect(await untilStatus(lost.id, 'replaced')).toMatchObject({ minedHash: null });
  });

  test('one that a reorg brings back is mined, and was never replaced', async () => {
    const { client } = fixture.anvil;
    const wallet = await fixture.wallet();
    const before = await client.getBlockNumber();
    const [lost, next] = await sendDisplaced(wallet);
    await untilStatus(next.id, 'mined');
    await mine(5);
    await ours.recheck();
    expect((await fixture.row(lost.id)).status).toBe('pending');
    const depth = Number((await client.getBlockNumber()) - before);
    await client.request({ method: 'anvil_reorg', params: [depth, []] } as never);
    await until('it is mined', async () => {
      await ours.recheck();
      return (await fixture.row(lost.id)).status === 'mined';
    });
  });

  test('a nonce that the chain lost is used by the next send after half a minute', async () => {
    const wallet = await fixture.wallet();
    await withoutMining(async () => {
      const hash = await sendOutside(wallet, 0);
      const waits = await send(ours, wallet);
      expect(waits.nonce).toBe(1);
      await fixture.anvil.client.dropTransaction({ hash });
      expect((await send(ours, wallet)).nonce).toBe(2);
      await fixture.db.execute(
        `update wallet_nonces set in_chain_at = in_chain_at - interval '31 s', settled_at = settled_at - interval '31 s' where wallet = '${wallet.address}'`,
      );
      expect((await send(ours, wallet)).nonce).toBe(0);
      expect((await send(ours, wallet)).nonce).toBe(3);
    });
  });

  /** Makes the transactions older, and the last change of the nonce this many seconds old. */
  const makeOlder = async ({ address }: PrivateKeyAccount, seconds: number, quietSeconds = 4) => {
    const quietSince = `now() - interval '${quietSeconds} s'`;
    await fixture.db.execute(
      `update wallet_transactions set created_at = created_at - interval '${seconds} s' where wallet = '${address}'`,
    );
    await fixture.db.execute(
      `update wallet_nonces set in_chain_at = ${quietSince}, settled_at = ${quietSince} where wallet = '${address}'`,
    );
  };

  test('such a nonce is also used while reorgs settle earlier transactions again and again', async () => {
    const wallet = await fixture.wallet();
    await withoutMining(async () => {
      const hash = await sendOutside(wallet, 0);
      await send(ours, wallet);
      await fixture.anvil.client.dropTransaction({ hash });
      expect((await send(ours, wallet)).nonce).toBe(2);
      await makeOlder(wallet, 20);
      expect((await send(ours, wallet)).nonce).toBe(3);
      await makeOlder(wallet, 11);
      expect((await send(ours, wallet)).nonce).toBe(0);
    });
  });

  /** Drops the blocks from this one on, and has later transactions wait for theirs. */
  const dropBlocks = async (from: bigint | null, ...later: { hashes: Hex[] }[]) => {
    const head = await fixture.anvil.client.getBlockNumber({ cacheTime: 0 });
    const depth = Number(head - (from ?? head)) + 1;
    await fixture.anvil.client.request({ method: 'anvil_reorg', params: [depth, []] } as never);
    // The pool would count them as the next ones.
    for (const { hashes } of later) await fixture.anvil.client.dropTransaction({ hash: hashes[0] as Hex });
  };

  test('a nonce of a confirmed transaction that a reorg dropped is not, and that one is mined again', async () => {
    const wallet = await fixture.wallet();
    const first = await send(ours, wallet);
    const { minedHash, blockNumber } = await untilStatus(first.id, 'mined');
    await withoutMining(async () => {
      const second = await send(ours, wallet);
      await dropBlocks(blockNumber, second);
      expect((await send(ours, wallet)).nonce).toBe(2);
      await makeOlder(wallet, 31);
      expect((await send(ours, wallet)).nonce).toBe(3);
      await theirs.recheck();
      expect(await fixture.row(first.id)).toMatchObject({ status: 'pending', nonce: 0 });
    });
    expect(await untilStatus(first.id, 'mined')).toMatchObject({ minedHash });
  });

  test('one whose nonce another one has meanwhile stays, and the others of its block are pending again', async () => {
    const [wallet, other] = [await fixture.wallet(), await fixture.wallet()];
    const [taken, free] = await withoutMining(async () => [
      await send(ours, wallet),
      await send(ours, other, callOf(other, { account: 2n })),
    ]);
    const { blockNumber } = await untilStatus(taken.id, 'mined');
    expect(await untilStatus(free.id, 'mined')).toMatchObject({ blockNumber });
    await withoutMining(async () => {
      await dropBlocks(blockNumber);
      expect((await send(ours, wallet)).nonce).toBe(1);
      await makeOlder(wallet, 0, 31);
      expect((await send(ours, wallet)).nonce).toBe(0);
      await theirs.recheck();
      expect(await fixture.row(taken.id)).toMatchObject({ status: 'mined' });
      expect(await fixture.row(free.id)).toMatchObject({ status: 'pending' });
    });
    await untilStatus(free.id, 'mined');
  });
});

describe('a run that', () => {
  test('refuses to sign leaves no gap, and its neighbours are sent', async () => {
    const wallet = await fixture.wallet();
    const refusing: Sign = async () => {
      throw new Error('no');
    };
    const sent = await Promise.allSettled([
      send(ours, wallet),
      send(ours, wallet, callOf(wallet), refusing),
      send(ours, wallet),
      send(ours, wallet),
    ]);
    expect(
      sent.map((result) => (result.status === 'fulfilled' ? result.value.nonce : 'refused')).sort(),
    ).toEqual([0, 1, 2, 'refused']);
  });

  test('does not answer ends in seconds, and its neighbours wait no longer', async () => {
    const wallet = await fixture.wallet();
    const process = await fixture.start({ signTimeoutMs: 1_000 });
    const silent: Sign = () => new Promise(() => {});
    const startedAt = performance.now();
    const sent = [
      send(process, wallet, callOf(wallet), silent),
      send(process, wallet, callOf(wallet), silent),
      send(process, wallet),
    ];
    const results = await Promise.allSettled(sent);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await expect(sent[0]).rejects.toThrow(UnsignedError);
    await expect(sent[0]).rejects.toThrow('the run did not sign within 1 s');
  });

  test.each<
    [
      string,
      (
        signed: Awaited<ReturnType<Sign>>,
        wallet: PrivateKeyAccount,
        asked: Parameters<Sign>[0],
      ) => Promise<object>,
    ]
  >([
    ['fewer forms', async ({ forms }) => ({ forms: forms.slice(1) })],
    ['a form twice', async ({ forms }) => ({ forms: forms.map(() => forms[0]) })],
    ['the cancel form as a form', async ({ forms, cancel }) => ({ forms: [cancel, ...forms.slice(1)] })],
    ['a form as the cancel form', async ({ forms }) => ({ cancel: forms[0] })],
    ['no transaction', async () => ({ cancel: '0x00' })],
    ['bytes after a form', async ({ forms }) => ({ forms: [`${forms[0]}00`, ...forms.slice(1)] })],
    [
      'a form with another nonce',
      async (_, wallet, { cancel, cancelGas, nonce }) => ({
        cancel: await wallet.signTransaction({
          type: 'eip1559',
          chainId: CHAIN_ID,
          to: wallet.address,
          value: 0n,
          gas: cancelGas,
          ...cancel,
          nonce: nonce + 1,
        }),
      }),
    ],
    [
      'a form with an access list',
      async (_, wallet, { cancel, cancelGas, nonce }) => ({
        cancel: await wallet.signTransaction({
          type: 'eip1559',
          chainId: CHAIN_ID,
          to: wallet.address,
          value: 0n,
          gas: cancelGas,
          ...cancel,
          nonce,
          accessList: [{ address: wallet.address, storageKeys: [] }],
        }),
      }),
    ],
    [
      'a form of another wallet',
      async (_, wallet, { cancel, cancelGas, nonce }) => ({
        cancel: await (await fixture.wallet()).signTransaction({
          type: 'eip1559',
          chainId: CHAIN_ID,
          to: wallet.address,
          value: 0n,
          gas: cancelGas,
          ...cancel,
          nonce,
        }),
      }),
    ],
  ])('returns %s is refused, and nothing is stored', async (_, change) => {
    const wallet = await fixture.wallet();
    const call = callOf(wallet);
    const lying: Sign = async (asked) => {
      const signed = await signer(wallet, call)(asked);
      return { ...signed, ...(await change(signed, wallet, asked)) };
    };
    await expect(send(ours, wallet, call, lying)).rejects.toThrow(UnsignedError);
    expect((await send(ours, wallet)).nonce).toBe(0);
  });
});

describe('the forms', () => {
  test('of a stuck transaction: the next one that the market takes is broadcast when the fee has risen', async () => {
    const wallet = await fixture.wallet();
    const process = await fixture.start({ repriceAfterMs: 500 });
    await withoutMining(async () => {
      const first = await send(process, wallet);
      const second = await until('the next form is broadcast', async () => {
        const row = await fixture.row(first.id);
        if (row.hashes.length > 1) return row;
        await fixture.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: first.maxFeePerGas + 1n });
        await mine();
        return undefined;
      });
      expect(second.raw).toBe(
        second.forms.find((raw) => (parseTransaction(raw as Hex).maxFeePerGas ?? 0n) >= second.maxFeePerGas),
      );
      expect(second.forms.indexOf(second.raw)).toBeGreaterThan(0);
      await until('the node has it', () =>
        fixture.anvil.client.getTransaction({ hash: second.hashes[1] as Hex }),
      );
      await mine();
      const mined = await untilStatus(first.id, 'mined');
      expect(mined.minedHash).toBe(second.hashes[1]);
    });
    await fixture.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n });
  });

  test('are at most the limit of the caller, the cancel form is at it', async () => {
    const wallet = await fixture.wallet();
    const limit = 10n ** 11n;
    const { id } = await send(ours, wallet, callOf(wallet, { maxFeePerGas: limit }));
    const { forms, cancelRaw } = await fixture.row(id);
    for (const raw of forms) expect(parseTransaction(raw as Hex).maxFeePerGas).toBeLessThan(limit);
    expect(parseTransaction(cancelRaw as Hex).maxFeePerGas).toBe(limit);
  });

  test('are refused when the limit is below the market', async () => {
    const wallet = await fixture.wallet();
    const call = callOf(wallet, { maxFeePerGas: 100n });
    await expect(send(ours, wallet, call)).rejects.toThrow('maxFeePerGas is too low');
  });
});

describe('cancel', () => {
  test('before it is mined: the transfer of nothing takes the nonce', async () => {
    const wallet = await fixture.wallet();
    const { id } = await withoutMining(async () => {
      const sent = await send(ours, wallet);
      // By another process than the one that follows it.
      expect(await theirs.cancel(sent.id)).toBe(true);
      expect(await ours.cancel(sent.id)).toBe(true);
      return sent;
    });
    const row = await untilStatus(id, 'replaced');
    expect(row.minedHash).toBe(row.cancelHash);
    expect(row.hashes).toHaveLength(2);
    expect((await send(ours, wallet)).nonce).toBe(1);
  });

  test('by a wallet that can pay little: the transfer of nothing costs what it can pay', async () => {
    const wallet = await fixture.wallet();
    const { maxFeePerGas } = await fixture.anvil.client.estimateFeesPerGas();
    const setBalance = (gas: bigint) =>
      fixture.anvil.client.setBalance({ address: wallet.address, value: gas * maxFeePerGas });
    await setBalance(30_000n);
    const cheap = callOf(wallet, { value: 0n, gas: 21_000n });
    await expect(send(ours, wallet, cheap)).rejects.toThrow(/has 0\.\d+ of the 0\.\d+ that it needs/);
    await setBalance(240_000n);
    const { id } = await withoutMining(async () => {
      const sent = await send(ours, wallet);
      expect(await ours.cancel(sent.id)).toBe(true);
      return sent;
    });
    const row = await untilStatus(id, 'replaced');
    expect(row.minedHash).toBe(row.cancelHash);
  });

  test('after it is mined: has no effect', async () => {
    const wallet = await fixture.wallet();
    const { id } = await send(ours, wallet);
    const mined = await untilStatus(id, 'mined');
    expect(await ours.cancel(id)).toBe(false);
    expect(await fixture.row(id)).toEqual(mined);
  });

  test('too late: the transaction ends as mined', async () => {
    const wallet = await fixture.wallet();
    const process = await fixture.start();
    process.proxy.lie = ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result);
    const { id } = await send(process, wallet);
    expect(await process.cancel(id)).toBe(true);
    process.proxy.lie = (_, result) => result;
    const row = await untilStatus(id, 'mined');
    expect(row.minedHash).toBe(row.hashes[0]);
  });
});

describe('a transaction', () => {
  test('whose reply the node lost is sent once', async () => {
    const wallet = await fixture.wallet();
    const process = await fixture.start();
    let lost = 0;
    process.proxy.lie = ({ method }, result) => {
      if (method !== 'eth_sendRawTransaction') return result;
      process.proxy.loses = () => lost++ < 1;
      return result;
    };
    const { id } = await send(process, wallet);
    await untilStatus(id, 'mined');
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(1);
  });

  test('that the node dropped is broadcast again', async () => {
    const wallet = await fixture.wallet();
    const { id } = await withoutMining(async () => {
      const sent = await send(ours, wallet);
      await fixture.anvil.client.dropTransaction({ hash: sent.hashes[0] as Hex });
      return sent;
    });
    await untilStatus(id, 'mined');
  });

  test('that a reorg drops is pending again, and then mined once', async () => {
    const wallet = await fixture.wallet();
    const { id } = await send(ours, wallet);
    const before = await untilStatus(id, 'mined');
    await fixture.anvil.client.setAutomine(false);
    await fixture.anvil.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await until('it is pending', async () => {
      await theirs.recheck();
      return (await fixture.row(id)).status === 'pending';
    });
    await fixture.anvil.client.setAutomine(true);
    await mine();
    const again = await until('it is mined again', async () => {
      await mine();
      const row = await fixture.row(id);
      return row.status === 'mined' && row;
    });
    expect(again.minedHash).toBe(before.minedHash);
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(1);
  });

  test('that a reorg drops, and whose nonce another one then takes, is replaced when that is final', async () => {
    const wallet = await fixture.wallet();
    const { id } = await send(ours, wallet);
    await untilStatus(id, 'mined');
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
    const foreign = await wallet.signTransaction({
      chainId: CHAIN_ID,
      to: wallet.address,
      nonce: 0,
      ...fees,
    });
    await fixture.anvil.client.request({ method: 'anvil_reorg', params: [1, [[foreign, 0]]] } as never);
    await until('it is pending', async () => {
      await ours.recheck();
      return (await fixture.row(id)).status === 'pending';
    });
    await mine(70);
    expect(await untilStatus(id, 'replaced')).toMatchObject({ minedHash: null });
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(1);
  });

  test('is mined before it is confirmed, and no longer after a reorg', async () => {
    const wallet = await fixture.wallet();
    const process = await fixture.start({ confirmations: 3 });
    const { id } = await send(process, wallet);
    const isMarked = (wanted: boolean) =>
      until(`a mined form is ${wanted ? '' : 'not '}known`, async () => {
        const row = await fixture.row(id);
        return row.status === 'pending' && (row.minedHash !== null) === wanted;
      });
    await isMarked(true);
    await fixture.anvil.client.setAutomine(false);
    await fixture.anvil.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await isMarked(false);
    await fixture.anvil.client.setAutomine(true);
    await until('it is confirmed', async () => {
      await mine();
      return (await fixture.row(id)).status === 'mined';
    });
  });

  test('that would revert is refused before it is signed', async () => {
    const wallet = await fixture.wallet();
    const to = '0x00000000000000000000000000000000000000bb';
    await fixture.anvil.client.setCode({ address: to, bytecode: '0x60006000fd' });
    const sign = vi.fn(signer(wallet, callOf(wallet)));
    for (const gas of [undefined, 100_000n])
      await expect(send(ours, wallet, callOf(wallet, { to, gas }), sign)).rejects.toThrow(
        'the transaction would revert',
      );
    expect(sign).not.toHaveBeenCalled();
  });

  test('that reverts when it is mined has a reason', async () => {
    const wallet = await fixture.wallet();
    const to = '0x00000000000000000000000000000000000000cc';
    const { id } = await withoutMining(async () => {
      const sent = await send(ours, wallet, callOf(wallet, { to }));
      await fixture.anvil.client.setCode({ address: to, bytecode: '0x60006000fd' });
      return sent;
    });
    expect(await untilStatus(id, 'reverted')).toMatchObject({ reason: 'reverted without a reason' });
  });

  test('creates a contract without a receiver', async () => {
    const wallet = await fixture.wallet();
    const { id } = await send(
      ours,
      wallet,
      callOf(wallet, { to: null, value: 0n, data: '0x600a600c600039600a6000f3602a60005260206000f3' }),
    );
    const { minedHash } = await untilStatus(id, 'mined');
    const { contractAddress } = await fixture.anvil.client.getTransactionReceipt({ hash: minedHash as Hex });
    expect(await fixture.anvil.client.getCode({ address: contractAddress as Hex })).toBe(
      '0x602a60005260206000f3',
    );
  });

  test('of a wallet without funds is refused before it is signed', async () => {
    const wallet = await fixture.wallet(0n);
    await expect(send(ours, wallet)).rejects.toThrow(WalletCallError);
    await expect(send(ours, wallet)).rejects.toThrow('has 0 of the');
  });
});

describe('a restart', () => {
  test('follows the pending transactions, which no process signs again', async () => {
    const wallet = await fixture.wallet();
    const dying = await fixture.start();
    dying.proxy.lie = ({ method }, result) =>
      method === 'eth_sendRawTransaction' ? keccak256('0x') : result;
    const sent = await withoutMining(async () => {
      const stored = await Promise.all([send(dying, wallet), send(dying, wallet)]);
      dying.proxy.broken = true;
      for (const { hashes } of stored) await fixture.anvil.client.dropTransaction({ hash: hashes[0] as Hex });
      return stored;
    });
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(0);
    await fixture.start();
    for (const { id } of sent) await untilStatus(id, 'mined');
    dying.proxy.broken = false;
  });

  test('notes the broadcast of a transaction that the node has and no process has noted', async () => {
    const wallet = await fixture.wallet();
    await withoutMining(async () => {
      const { id } = await send(ours, wallet);
      await until('the broadcast is noted', async () => (await fixture.row(id)).broadcastAt);
      await fixture.db.execute(`update wallet_transactions set broadcast_at = null where id = '${id}'`);
      await fixture.start();
      await until('it is noted again', async () => (await fixture.row(id)).broadcastAt, 3_000);
    });
  });
});

describe('an idempotency id', () => {
  test('stores one transaction in a race of two processes', async () => {
    const wallet = await fixture.wallet();
    const call = callOf(wallet, { idempotencyId: `race ${wallet.address}` });
    const sent = await Promise.all(
      [ours, theirs, ours, theirs].map((process) => send(process, wallet, call)),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    await untilStatus(sent[0]?.id ?? '', 'mined');
    expect(await fixture.anvil.client.getTransactionCount(wallet)).toBe(1);
    const sign = vi.fn();
    expect((await send(ours, wallet, call, sign)).id).toBe(sent[0]?.id);
    expect(sign).not.toHaveBeenCalled();
  });

  test('of another usage key is refused, so that no transaction that its holder cancels looks sent', async () => {
    const wallet = await fixture.wallet();
    const other = callOf(wallet, { usageKey: 3n, idempotencyId: `predictable ${wallet.address}` });
    const own = { ...other, usageKey: 2n };
    const { id } = await send(ours, wallet, other);
    for (const process of [ours, theirs])
      await expect(send(process, wallet, own)).rejects.toThrow(
        'idempotencyKey belongs to a transaction of another usage key',
      );
    expect((await send(theirs, wallet, other)).id).toBe(id);
  });

  test.each([{ value: 2n }, { data: '0x01' as const }, { to: null }])(
    'refuses another content: %o',
    async (other) => {
      const wallet = await fixture.wallet();
      const call = callOf(wallet, { idempotencyId: `other ${wallet.address}` });
      await send(ours, wallet, call);
      await expect(send(ours, wallet, { ...call, ...other })).rejects.toThrow(
        'idempotencyKey belongs to another transaction',
      );
    },
  );
});

describe('the limit of pending transactions', () => {
  test('of a wallet', async () => {
    const wallet = await fixture.wallet();
    await withoutMining(async () => {
      const sent = await Promise.allSettled(Array.from({ length: 20 }, () => send(ours, wallet)));
      const refused = sent.filter(({ status }) => status === 'rejected');
      expect(refused).toHaveLength(4);
      await expect(send(theirs, wallet)).rejects.toThrow(PendingLimitError);
      await expect(send(theirs, wallet)).rejects.toThrow('the wallet has 16 pending transactions');
    });
  });

  test('of an account', async () => {
    const wallets = [await fixture.wallet(), await fixture.wallet()] as const;
    const many = (index: 0 | 1) => {
      const call = callOf(wallets[index], { account: 77n });
      return Promise.all(Array.from({ length: 10 }, () => send(ours, wallets[index], call)));
    };
    await withoutMining(async () => {
      await many(0);
      await many(1);
      await expect(send(ours, wallets[0], callOf(wallets[0], { account: 77n }))).rejects.toThrow(
        'the account has 20 pending transactions',
      );
      expect((await send(ours, wallets[0])).nonce).toBe(10);
    });
  });
});
