import { connectChain } from '@latchkey/chain/chain';
import { ChainUnavailableError, ContractRevertError, MinedRevertError } from '@latchkey/chain/errors';
import { OtherRequestError } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { localSigner } from '@latchkey/service/secp256k1';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { startHttpProxy } from '@latchkey/testing/message-proxies';
import { until } from '@latchkey/testing/until';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { accountCall, ETHER, openOutboxFixture, storeOnly } from '../../test/outbox-fixture.ts';
import { transactions } from '../db/schema.ts';

const fixture = disposeAfterAll(await openOutboxFixture());

const isOpen = async (account: bigint): Promise<boolean> => {
  const [master] = await fixture.anvil.client.readContract({
    address: fixture.contract,
    abi: accountConfigAbi,
    functionName: 'resolve',
    args: [account],
  });
  return master === account;
};
const transactionCount = (payer: number) =>
  fixture.anvil.client.getTransactionCount({ address: fixture.addresses[payer] as `0x${string}` });
const pending = () => fixture.store.pending(0);
/** Resolves when the node can mine so many transactions. */
const inMempool = (count: number) =>
  until(`${count} transactions in the mempool`, async () => {
    const { pending } = await fixture.anvil.client.getTxpoolStatus();
    return pending === count;
  });
const stored = () => fixture.db.select().from(transactions);

/** Starts payers with the keys that `indexes` selects. */
const started = async (indexes: number[], options = {}) => {
  const payers = fixture.payers({
    signers: indexes.map((index) => localSigner(fixture.keys[index] as `0x${string}`)),
    ...options,
  });
  await payers.start();
  return payers;
};

/** Mines blocks only on request while `work` runs. */
const withoutMining = async (work: () => Promise<void>): Promise<void> => {
  await fixture.anvil.client.setAutomine(false);
  try {
    await work();
  } finally {
    await fixture.anvil.client.setAutomine(true);
    await fixture.anvil.client.mine({ blocks: 1 });
  }
};

const storedOnly = (payer: number, name: string) => storeOnly(fixture, payer, name);

describe('nonce order', () => {
  test('sends from several payers concurrently, each in nonce order', async () => {
    const payers = await started([0, 1, 2]);
    const calls = Array.from({ length: 30 }, (_, index) => accountCall(`lane ${index}`));
    const receipts = await Promise.all(calls.map((call) => payers.send(call)));
    expect(receipts.every(({ status }) => status === 'success')).toBe(true);
    for (const [index, address] of fixture.addresses.entries()) {
      const rows = (await stored()).filter(({ payer }) => payer === address);
      expect(rows.length).toBeGreaterThanOrEqual(8);
      const inBlocks = rows.sort((a, b) => a.nonce - b.nonce).map(({ blockNumber }) => blockNumber ?? 0n);
      expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, nonce) => nonce));
      expect(inBlocks).toEqual(inBlocks.toSorted((a, b) => Number(a - b)));
      expect(await transactionCount(index)).toBe(rows.length);
    }
    expect(fixture.mined.map(({ account }) => account).sort()).toEqual(
      calls.map(({ account }) => account).sort(),
    );
  });

  test('sends several transactions of one payer in one block', async () => {
    const payers = await started([0]);
    await withoutMining(async () => {
      const sent = [1, 2, 3, 4].map((index) => payers.send(accountCall(`block ${index}`)));
      await inMempool(4);
      await fixture.anvil.client.mine({ blocks: 1 });
      const blocks = (await Promise.all(sent)).map(({ blockNumber }) => blockNumber);
      expect(new Set(blocks).size).toBe(1);
    });
  });

  test('keeps at most `maxPending` per payer: a further call is sent when one is mined', async () => {
    const payers = await started([0], { maxPending: 2 });
    await withoutMining(async () => {
      const sent = [1, 2, 3].map((index) => payers.send(accountCall(`busy ${index}`)));
      await inMempool(2);
      expect(payers.status()).toMatchObject([{ pending: 2 }]);
      await fixture.anvil.client.mine({ blocks: 1 });
      await Promise.all(sent.slice(0, 2));
      await inMempool(1);
      await fixture.anvil.client.mine({ blocks: 1 });
      await sent[2];
    });
  });

  test('rejects when no payer becomes free in time', async () => {
    const payers = await started([0], { maxPending: 1, timeoutMs: 1_000 });
    await withoutMining(async () => {
      const first = payers.send(accountCall('free 1'));
      first.catch(() => {});
      await inMempool(1);
      await expect(payers.send(accountCall('free 2'))).rejects.toThrow('no payer was free in time');
      expect(await isOpen(accountCall('free 2').account)).toBe(false);
    });
  });

  test('shares payers and a database with other processes', async () => {
    await using shared = await openOutboxFixture({ payerCount: 2 });
    const processes = [shared.payers(), shared.payers(), shared.payers()];
    await Promise.all(processes.map((payers) => payers.start()));
    const same = accountCall('same request', 'id');
    const sent = await Promise.all(
      processes.flatMap((payers, process) => [
        ...Array.from({ length: 8 }, (_, index) => payers.send(accountCall(`process ${process} ${index}`))),
        payers.send(same),
      ]),
    );
    expect(new Set(sent.map(({ transactionHash }) => transactionHash)).size).toBe(25);
    const rows = await shared.db.select().from(transactions);
    expect(new Set(rows.map(({ payer, nonce }) => `${payer} ${nonce}`)).size).toBe(rows.length);
    expect(rows.every(({ status }) => status === 'mined')).toBe(true);
  });
});

describe('refuses before spending gas', () => {
  test('neither stores nor sends a call that reverts', async () => {
    const payers = await started([0]);
    await payers.send(accountCall('twice'));
    const [rows, count] = [(await stored()).length, await transactionCount(0)];
    const refused = await payers.send(accountCall('twice')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ContractRevertError);
    expect(refused).toMatchObject({ revert: { errorName: 'AccountAlreadyExists' } });
    expect(refused).not.toBeInstanceOf(MinedRevertError);
    expect([(await stored()).length, await transactionCount(0)]).toEqual([rows, count]);
  });

  test('when no payer has funds or is known to the contract', async () => {
    const key = generatePrivateKey();
    const poor = fixture.payers({ signers: [localSigner(key)] });
    await poor.start();
    await expect(poor.send(accountCall('poor'))).rejects.toThrow();
    poor.setApiPayers(fixture.addresses);
    await expect(poor.send(accountCall('poor'))).rejects.toThrow(/no payer is an api payer/);
    const setBalance = (payer: number, value: bigint) =>
      fixture.anvil.client.setBalance({ address: fixture.addresses[payer] as `0x${string}`, value });
    const known = await started([1, 2]);
    await setBalance(1, 1n);
    const receipts = await Promise.all(['rich 1', 'rich 2'].map((name) => known.send(accountCall(name))));
    for (const { from } of receipts) expect(from).toBe(fixture.addresses[2]?.toLowerCase());
    await setBalance(2, 1n);
    await known.refreshGas();
    await expect(known.send(accountCall('poor'))).rejects.toThrow(ChainUnavailableError);
    for (const payer of [1, 2]) await setBalance(payer, 100n * ETHER);
  });

  test('when the node is down', async () => {
    const urls = { rpcUrls: ['http://127.0.0.1:9'], privateRpcUrl: undefined, wsUrls: [] };
    const chain = connectChain({ chainId: 31_337, name: 't', token: 'ETH', pollingIntervalMs: 100, ...urls });
    const rows = (await stored()).length;
    await expect(fixture.payers({ chain }).send(accountCall('down'))).rejects.toThrow(ChainUnavailableError);
    expect((await stored()).length).toBe(rows);
  });
});

describe('failures after the broadcast', () => {
  test('decodes a revert on the chain after a successful simulation', async () => {
    const payers = await started([0, 1]);
    await withoutMining(async () => {
      const both = Promise.allSettled([payers.send(accountCall('race')), payers.send(accountCall('race'))]);
      await inMempool(2);
      await fixture.anvil.client.mine({ blocks: 1 });
      const outcomes = await both;
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = outcomes.find(({ status }) => status === 'rejected');
      expect(refused).toMatchObject({ reason: { revert: { errorName: 'AccountAlreadyExists' } } });
      expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(MinedRevertError);
    });
  });

  test('rebroadcasts a transaction that the node dropped', async () => {
    const payers = await started([0]);
    await withoutMining(async () => {
      const sent = payers.send(accountCall('dropped'));
      const hash = await until('transaction in the mempool', async () => {
        const [transaction] = await pending();
        const known = transaction?.hashes[0];
        return known && (await fixture.anvil.client.getTransaction({ hash: known })) ? known : undefined;
      });
      await fixture.anvil.client.dropTransaction({ hash });
      await fixture.anvil.client.setAutomine(true);
      expect((await sent).transactionHash).toBe(hash);
    });
  });

  test('takes another nonce when a foreign transaction used it', async () => {
    const payers = await started([2]);
    const stranger = privateKeyToAccount(fixture.keys[2] as `0x${string}`);
    const nonce = await transactionCount(2);
    const hash = await fixture.anvil.client.sendTransaction({
      account: stranger,
      chain: null,
      to: stranger.address,
      nonce,
    });
    await fixture.anvil.client.waitForTransactionReceipt({ hash });
    const { account } = accountCall('drift');
    expect((await payers.send(accountCall('drift'))).status).toBe('success');
    expect(await isOpen(account)).toBe(true);
    expect((await stored()).filter((row) => BigInt(row.account) === account)).toMatchObject([
      { status: 'mined', nonce: nonce + 1 },
    ]);
    expect(await transactionCount(2)).toBe(nonce + 2);
  });

  test('reprices a transaction whose fee is too low', async () => {
    const payers = await started([0], { repriceAfterMs: 500 });
    await withoutMining(async () => {
      const sent = payers.send(accountCall('cheap'));
      const first = await until('transaction in the mempool', async () => (await pending())[0]);
      const second = await until('transaction repriced', async () => {
        const now = await fixture.store.get(first.id);
        const isSent = now && now.hashes.length > 1 && now.hashes.at(-1);
        if (isSent && (await fixture.anvil.client.getTransaction({ hash: isSent }))) return now;
        await fixture.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 4n * first.maxFeePerGas });
        await fixture.anvil.client.mine({ blocks: 1 });
        return undefined;
      });
      expect(second.nonce).toBe(first.nonce);
      await fixture.anvil.client.mine({ blocks: 1 });
      expect((await sent).transactionHash).toBe(second.hashes.at(-1));
    });
  });

  test('settles a transaction after its request timed out', async () => {
    const payers = await started([0], { timeoutMs: 300 });
    const call = accountCall('late', 'late id');
    await withoutMining(async () => {
      await expect(payers.send(call)).rejects.toThrow(ChainUnavailableError);
    });
    await until('transaction settled', async () => (await pending()).length === 0);
    expect(await isOpen(call.account)).toBe(true);
    // A retry of the request gets its receipt instead of a second effect.
    expect((await payers.send(call)).status).toBe('success');
  });
});

describe('pushed logs', () => {
  /** Connects to the chain with a subscription, through a proxy that counts the calls per method. */
  const subscribed = async (watch: boolean) => {
    const calls: Record<string, number> = {};
    const { anvil, contract } = fixture;
    const count = (method: string) => {
      calls[method] = (calls[method] ?? 0) + 1;
      return false;
    };
    const proxy = await startHttpProxy(
      anvil.url,
      (_line, body) => /"method":"(\w+)"/.exec(body)?.[1] ?? '',
      (method, moment) => moment === 'sent' && count(method),
    );
    const chain = connectChain({
      chainId: 31_337,
      name: 'test',
      token: 'ETH',
      rpcUrls: [proxy.url],
      privateRpcUrl: undefined,
      wsUrls: [anvil.wsUrl],
      pollingIntervalMs: 100,
    });
    if (watch) chain.watch(contract, { onLogs: () => {}, onError: () => {}, onResumed: () => {} });
    return {
      chain,
      calls,
      [Symbol.asyncDispose]: async () => {
        await chain.close();
        await proxy[Symbol.asyncDispose]();
      },
    };
  };

  test('need one call per receipt, however late the block is', async () => {
    await using own = await subscribed(true);
    const payers = await started([0], { chain: own.chain });
    await withoutMining(async () => {
      const sent = payers.send(accountCall('pushed'));
      await inMempool(1);
      await fixture.anvil.client.mine({ blocks: 1 });
      await sent;
    });
    expect(own.calls).toMatchObject({
      eth_estimateGas: 1,
      eth_sendRawTransaction: 1,
      eth_getTransactionReceipt: 1,
    });
    await payers.send(accountCall('pushed again'));
    expect(own.calls).toMatchObject({
      eth_estimateGas: 2,
      eth_sendRawTransaction: 2,
      eth_getTransactionReceipt: 2,
    });
    // The call asks once whether the chain takes a fee for data.
    const { eth_call, eth_getBalance, eth_maxPriorityFeePerGas } = own.calls;
    expect([eth_call, eth_getBalance, eth_maxPriorityFeePerGas]).toEqual([1, 1, 1]);
  });

  test('that do not come delay a receipt less on a chain with frequent blocks', async () => {
    const waits: number[] = [];
    const awaitLog = async (_hashes: unknown, timeoutMs: number) => waits.push(timeoutMs) > 0;
    const payers = await started([0], { chain: { ...fixture.chain, isPushing: () => true, awaitLog } });
    for (let write = 0; write < 10; write++) await payers.send(accountCall(`soon ${write}`));
    expect(waits[0]).toBe(250);
    expect(waits.at(-1)).toBeLessThan(125);
  });

  test('are not required: a subscription that is silent only delays the receipt', async () => {
    await using own = await subscribed(false);
    const chain = { ...own.chain, isPushing: () => true };
    const payers = await started([0], { chain });
    expect((await payers.send(accountCall('silent'))).status).toBe('success');
  });
});

describe('restart', () => {
  test('sends transactions in order at the next start that were stored and never sent, or dropped', async () => {
    await started([1]);
    const names = ['left 1', 'left 2', 'left 3'];
    for (const name of names) await storedOnly(1, name);
    const before = await transactionCount(1);
    await started([1]);
    await until('all transactions settled', async () => (await pending()).length === 0);
    for (const name of names) expect(await isOpen(accountCall(name).account)).toBe(true);
    expect(await transactionCount(1)).toBe(before + 3);
    expect(
      fixture.mined.filter(({ account }) => names.some((name) => accountCall(name).account === account)),
    ).toHaveLength(3);
  });

  test('settles a transaction that was mined while no process ran, without a second effect', async () => {
    await started([1]);
    const left = await storedOnly(1, 'mined alone');
    const count = await transactionCount(1);
    await fixture.anvil.client.sendRawTransaction({ serializedTransaction: left.raw });
    await started([1]);
    await until('transaction settled', async () => (await pending()).length === 0);
    expect(await fixture.store.get(left.id)).toMatchObject({ status: 'mined', minedHash: left.hashes[0] });
    expect(await transactionCount(1)).toBe(count + 1);
  });

  test('gives an interrupted idempotent request one effect', async () => {
    const payers = await started([1]);
    const call = accountCall('interrupted', 'interrupted id');
    const [first, second] = await Promise.all([payers.send(call), payers.send(call).catch(() => undefined)]);
    const again = await (await started([0])).send(call);
    expect(again.transactionHash).toBe(first.transactionHash);
    if (second) expect(second.transactionHash).toBe(first.transactionHash);
    await expect(payers.send(accountCall('else', 'interrupted id'))).rejects.toThrow(OtherRequestError);
    expect(await isOpen(accountCall('else').account)).toBe(false);
  });

  test('gives a request the receipt of another process that has sent it since', async () => {
    const call = accountCall('overtaken', 'overtaken id');
    const { transactionHash } = await (await started([0])).send(call);
    let looks = 0;
    const byIdempotencyId = async (id: string) =>
      looks++ === 0 ? undefined : fixture.store.byIdempotencyId(id);
    const overtaken = await started([1], { store: { ...fixture.store, byIdempotencyId } });
    expect((await overtaken.send(call)).transactionHash).toBe(transactionHash);
  });
});
