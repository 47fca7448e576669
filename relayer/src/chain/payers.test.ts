import { accountConfigAbi } from '@latchkey/protocol';
import { until } from '@latchkey/testing/until';
import { keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountCall, ETHER, type Lanes, openLanes } from '../../test/lanes.ts';
import { transactions } from '../db/schema.ts';
import { connectChain } from './chain.ts';
import { ChainUnavailableError, ContractRevertError } from './errors.ts';
import type { OutboxTransaction } from './outbox.ts';
import { PayersBusyError } from './payer-pool.ts';
import { OtherRequestError } from './payers.ts';

let lanes: Lanes;
beforeAll(async () => {
  lanes = await openLanes();
});
afterAll(() => lanes[Symbol.asyncDispose]());

const isOpen = async (account: bigint): Promise<boolean> => {
  const [master] = await lanes.anvil.client.readContract({
    address: lanes.contract,
    abi: accountConfigAbi,
    functionName: 'resolve',
    args: [account],
  });
  return master === account;
};
const countOf = (payer: number) =>
  lanes.anvil.client.getTransactionCount({ address: lanes.addresses[payer] as `0x${string}` });
const pending = () => lanes.outbox.pending(lanes.addresses, 0);
const stored = () => lanes.db.select().from(transactions);

/** Payers with a key, as `indexes` says, started. */
const started = async (indexes: number[], options = {}) => {
  const payers = lanes.payers({
    privateKeys: indexes.map((index) => lanes.keys[index] as `0x${string}`),
    ...options,
  });
  await payers.start();
  return payers;
};

/** While `work` runs blocks come only when asked for. */
const withoutMining = async (work: () => Promise<void>): Promise<void> => {
  await lanes.anvil.client.setAutomine(false);
  try {
    await work();
  } finally {
    await lanes.anvil.client.setAutomine(true);
    await lanes.anvil.client.mine({ blocks: 1 });
  }
};

/** Stores what a process stored before it died. */
const storedOnly = async (payer: number, name: string): Promise<OutboxTransaction> => {
  const account = privateKeyToAccount(lanes.keys[payer] as `0x${string}`);
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
  const call = accountCall(name);
  return lanes.outbox.add({
    ...call,
    ...fees,
    payer: account.address,
    gas: 500_000n,
    sign: async (nonce) => {
      const { data } = call;
      const transaction = { chainId: 31_337, to: lanes.contract, nonce, data, gas: 500_000n, ...fees };
      const raw = await account.signTransaction({ type: 'eip1559', ...transaction });
      return { raw, hash: keccak256(raw) };
    },
  });
};

describe('lanes', () => {
  test('several payers at once, each in nonce order', async () => {
    const payers = await started([0, 1, 2]);
    const calls = Array.from({ length: 30 }, (_, index) => accountCall(`lane ${index}`));
    const receipts = await Promise.all(calls.map((call) => payers.send(call)));
    expect(receipts.every(({ status }) => status === 'success')).toBe(true);
    for (const [index, address] of lanes.addresses.entries()) {
      const rows = (await stored()).filter(({ payer }) => payer === address);
      expect(rows.length).toBeGreaterThanOrEqual(8);
      const inBlocks = rows.sort((a, b) => a.nonce - b.nonce).map(({ blockNumber }) => blockNumber ?? 0n);
      expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, nonce) => nonce));
      expect(inBlocks).toEqual(inBlocks.toSorted((a, b) => Number(a - b)));
      expect(await countOf(index)).toBe(rows.length);
    }
    expect(lanes.mined.map(({ account }) => account).sort()).toEqual(
      calls.map(({ account }) => account).sort(),
    );
  });

  test('several transactions of one payer in one block', async () => {
    const payers = await started([0]);
    await withoutMining(async () => {
      const before = await countOf(0);
      const sent = [1, 2, 3, 4].map((index) => payers.send(accountCall(`block ${index}`)));
      await until('all are in the pool', async () => (await pending()).length === 4);
      await until('the pool has them', async () => {
        const count = await lanes.anvil.client.getTransactionCount({
          address: lanes.addresses[0] as `0x${string}`,
          blockTag: 'pending',
        });
        return count === before + 4;
      });
      await lanes.anvil.client.mine({ blocks: 1 });
      const blocks = (await Promise.all(sent)).map(({ blockNumber }) => blockNumber);
      expect(new Set(blocks).size).toBe(1);
    });
  });

  test('no more than `maxPending`', async () => {
    const payers = await started([0], { maxPending: 2 });
    await withoutMining(async () => {
      const sent = [1, 2].map((index) => payers.send(accountCall(`busy ${index}`)));
      await expect(payers.send(accountCall('busy 3'))).rejects.toThrow(PayersBusyError);
      await until('both are in the pool', async () => (await pending()).length === 2);
      await lanes.anvil.client.mine({ blocks: 1 });
      await Promise.all(sent);
    });
  });

  test('processes share payers and a database', async () => {
    await using shared = await openLanes({ payerCount: 2 });
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

describe('refused before gas', () => {
  test('a call that reverts is neither stored nor sent', async () => {
    const payers = await started([0]);
    await payers.send(accountCall('twice'));
    const [rows, count] = [(await stored()).length, await countOf(0)];
    const refused = await payers.send(accountCall('twice')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ContractRevertError);
    expect(refused).toMatchObject({ revert: { errorName: 'AccountAlreadyExists' } });
    expect([(await stored()).length, await countOf(0)]).toEqual([rows, count]);
  });

  test('no payer has funds, or is known to the contract', async () => {
    const key = generatePrivateKey();
    const poor = lanes.payers({ privateKeys: [key] });
    await poor.start();
    await expect(poor.send(accountCall('poor'))).rejects.toThrow();
    poor.setApiPayers(lanes.addresses);
    await expect(poor.send(accountCall('poor'))).rejects.toThrow(/none of the payers/);
    const setBalance = (payer: number, value: bigint) =>
      lanes.anvil.client.setBalance({ address: lanes.addresses[payer] as `0x${string}`, value });
    const known = await started([1, 2]);
    await setBalance(1, 1n);
    const receipts = await Promise.all(['rich 1', 'rich 2'].map((name) => known.send(accountCall(name))));
    for (const { from } of receipts) expect(from).toBe(lanes.addresses[2]?.toLowerCase());
    await setBalance(2, 1n);
    await expect(known.send(accountCall('poor'))).rejects.toThrow(ChainUnavailableError);
    for (const payer of [1, 2]) await setBalance(payer, 100n * ETHER);
  });

  test('the node is down', async () => {
    const settings = { chainId: 31_337, name: 't', token: 'ETH', wsUrl: undefined, pollingIntervalMs: 100 };
    const chain = connectChain({ ...settings, rpcUrl: 'http://127.0.0.1:9' });
    const rows = (await stored()).length;
    await expect(lanes.payers({ chain }).send(accountCall('down'))).rejects.toThrow(ChainUnavailableError);
    expect((await stored()).length).toBe(rows);
  });
});

describe('what goes wrong afterwards', () => {
  test('a revert on the chain after a good simulation is decoded', async () => {
    const payers = await started([0, 1]);
    await withoutMining(async () => {
      const both = Promise.allSettled([payers.send(accountCall('race')), payers.send(accountCall('race'))]);
      await until('both are in the pool', async () => (await pending()).length === 2);
      await lanes.anvil.client.mine({ blocks: 1 });
      const outcomes = await both;
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { revert: { errorName: 'AccountAlreadyExists' } },
      });
    });
  });

  test('the node dropped it: it is sent again', async () => {
    const payers = await started([0]);
    await withoutMining(async () => {
      const sent = payers.send(accountCall('dropped'));
      const hash = await until('it is in the pool', async () => {
        const [transaction] = await pending();
        const known = transaction?.hashes[0];
        return known && (await lanes.anvil.client.getTransaction({ hash: known })) ? known : undefined;
      });
      await lanes.anvil.client.dropTransaction({ hash });
      await lanes.anvil.client.setAutomine(true);
      expect((await sent).transactionHash).toBe(hash);
    });
  });

  test('a stranger used the nonce: another one is taken', async () => {
    const payers = await started([2]);
    const stranger = privateKeyToAccount(lanes.keys[2] as `0x${string}`);
    const nonce = await countOf(2);
    const hash = await lanes.anvil.client.sendTransaction({
      account: stranger,
      chain: null,
      to: stranger.address,
      nonce,
    });
    await lanes.anvil.client.waitForTransactionReceipt({ hash });
    const { account } = accountCall('drift');
    expect((await payers.send(accountCall('drift'))).status).toBe('success');
    expect(await isOpen(account)).toBe(true);
    expect((await stored()).filter(({ status }) => status === 'replaced')).toMatchObject([{ nonce }]);
    expect(await countOf(2)).toBe(nonce + 2);
  });

  test('too cheap: it is repriced', async () => {
    const payers = await started([0], { repriceAfterMs: 500 });
    await withoutMining(async () => {
      const sent = payers.send(accountCall('cheap'));
      const first = await until('it is in the pool', async () => (await pending())[0]);
      await lanes.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 4n * first.maxFeePerGas });
      await lanes.anvil.client.mine({ blocks: 1 });
      const second = await until('it is repriced', async () => {
        const now = await lanes.outbox.get(first.id);
        const isSent = now && now.hashes.length > 1 && now.hashes.at(-1);
        return isSent && (await lanes.anvil.client.getTransaction({ hash: isSent })) ? now : undefined;
      });
      expect(second.nonce).toBe(first.nonce);
      await lanes.anvil.client.mine({ blocks: 1 });
      expect((await sent).transactionHash).toBe(second.hashes.at(-1));
    });
  });

  test('a request gives up, the transaction does not', async () => {
    const payers = await started([0], { timeoutMs: 300 });
    const call = accountCall('late', 'late id');
    await withoutMining(async () => {
      await expect(payers.send(call)).rejects.toThrow(ChainUnavailableError);
    });
    await until('it is settled', async () => (await pending()).length === 0);
    expect(await isOpen(call.account)).toBe(true);
    // A retry of the request gets its receipt instead of a second effect.
    expect((await payers.send(call)).status).toBe('success');
  });
});

describe('restart', () => {
  test('stored and never sent, or dropped meanwhile: the next start sends them in order', async () => {
    await started([1]);
    const names = ['left 1', 'left 2', 'left 3'];
    for (const name of names) await storedOnly(1, name);
    const before = await countOf(1);
    await started([1]);
    await until('all are settled', async () => (await pending()).length === 0);
    for (const name of names) expect(await isOpen(accountCall(name).account)).toBe(true);
    expect(await countOf(1)).toBe(before + 3);
    expect(
      lanes.mined.filter(({ account }) => names.some((name) => accountCall(name).account === account)),
    ).toHaveLength(3);
  });

  test('mined while nobody looked: settled without another effect', async () => {
    await started([1]);
    const left = await storedOnly(1, 'mined alone');
    const count = await countOf(1);
    await lanes.anvil.client.sendRawTransaction({ serializedTransaction: left.raw });
    await started([1]);
    await until('it is settled', async () => (await pending()).length === 0);
    expect(await lanes.outbox.get(left.id)).toMatchObject({ status: 'mined', minedHash: left.hashes[0] });
    expect(await countOf(1)).toBe(count + 1);
  });

  test('an interrupted idempotent request has one effect', async () => {
    const payers = await started([1]);
    const call = accountCall('interrupted', 'interrupted id');
    const [first, second] = await Promise.all([payers.send(call), payers.send(call).catch(() => undefined)]);
    const again = await (await started([0])).send(call);
    expect(again.transactionHash).toBe(first.transactionHash);
    if (second) expect(second.transactionHash).toBe(first.transactionHash);
    await expect(payers.send(accountCall('else', 'interrupted id'))).rejects.toThrow(OtherRequestError);
    expect(await isOpen(accountCall('else').account)).toBe(false);
  });
});
