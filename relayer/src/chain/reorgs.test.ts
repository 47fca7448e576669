import type { Outbox } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { localSigner } from '@latchkey/service/secp256k1';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { availableMicros, listEntries, move } from '../billing/ledger.ts';

let payers: Outbox;
const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 2 }));
beforeAll(async () => {
  const [key] = fixture.keys as [Hex, Hex];
  payers = fixture.payers({ signers: [localSigner(key)] });
  await payers.start();
});

const payer = () => fixture.addresses[0] as Address;
const isOpen = async (account: bigint): Promise<boolean> => {
  const [master] = await fixture.anvil.client.readContract({
    address: fixture.contract,
    abi: accountConfigAbi,
    functionName: 'resolve',
    args: [account],
  });
  return master === account;
};
const paidCall = async (name: string) => {
  const call = accountCall(name);
  await move(fixture.db, call.account, 'credit', 100n, { externalId: name, reason: 'test' });
  return { ...call, payment: { key: call.account, amountMicros: 10n, reason: name } };
};
const kinds = async (account: bigint) =>
  (await listEntries(fixture.db, account, { offset: 0, limit: 10 })).entries
    .map(({ kind }) => kind)
    .reverse();
/** Replaces the last blocks, the first one by a block with these transactions. The node forgets the transactions of the old blocks. */
const reorg = (depth: number, raws: Hex[] = []) =>
  fixture.anvil.client.request({
    method: 'anvil_reorg',
    params: [depth, raws.map((raw) => [raw, 0])],
  } as never);
/** Returns the call as a transaction of a payer that no process of the test has. */
const ofAnother = async (data: Hex): Promise<Hex> => {
  const account = privateKeyToAccount(fixture.keys[1] as Hex);
  const { client } = fixture.anvil;
  const nonce = await client.getTransactionCount({ address: account.address });
  const fees = { gas: 500_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  return account.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    to: fixture.contract,
    nonce,
    data,
    ...fees,
  });
};
/** Polls while the outbox rechecks, as a relayer does every ten seconds. */
const untilRechecked = (state: string, isReached: () => Promise<boolean>) =>
  until(state, async () => {
    await payers.recheck();
    return isReached();
  });
/** Returns the number of blocks since another payer opened the account. */
const blocksSince = async (account: bigint): Promise<number> => {
  const [log] = await fixture.anvil.client.getContractEvents({
    address: fixture.contract,
    abi: accountConfigAbi,
    eventName: 'AccountCreated',
    args: { masterApiKeyHash: account } as never,
    fromBlock: 0n,
  });
  return Number((await fixture.anvil.client.getBlockNumber()) - (log?.blockNumber ?? 0n));
};
const isLevel = async () => {
  const count = await fixture.anvil.client.getTransactionCount({ address: payer() });
  return count === (await fixture.store.nextNonce(payer()));
};

describe.each([2, 5])('a reorg of depth %i', (depth) => {
  test('that drops writes leaves each with its one effect and its one price', async () => {
    const names = Array.from({ length: depth }, (_, index) => `dropped ${depth} ${index}`);
    const calls = await Promise.all(names.map(paidCall));
    for (const call of calls) await payers.send(call);
    await reorg(depth);
    for (const { account } of calls) expect(await isOpen(account)).toBe(false);
    for (const { account } of calls) await untilRechecked('the write is back', () => isOpen(account));
    await untilRechecked('all are settled', async () => (await fixture.store.pending(0)).length === 0);
    for (const { account } of calls) {
      expect(await kinds(account)).toEqual(['credit', 'reserve', 'capture']);
      expect(await availableMicros(fixture.db, account)).toBe(90n);
    }
    expect(await isLevel()).toBe(true);
    expect((await payers.send(accountCall(`after ${depth}`))).status).toBe('success');
  });

  test('that makes a write impossible fills its nonce and returns its price, once', async () => {
    const call = await paidCall(`impossible ${depth}`);
    for (let index = 1; index < depth; index++) await payers.send(accountCall(`earlier ${depth} ${index}`));
    await payers.send(call);
    // Another payer of the operator has opened the account in the chain that replaced the blocks.
    await reorg(depth, [await ofAnother(call.data)]);
    expect(await isOpen(call.account)).toBe(true);
    await untilRechecked(
      'the price is back',
      async () => (await availableMicros(fixture.db, call.account)) === 100n,
    );
    await untilRechecked('the nonce is filled', isLevel);
    expect(await kinds(call.account)).toEqual(['credit', 'reserve', 'capture', 'credit']);
    expect((await payers.send(accountCall(`after impossible ${depth}`))).status).toBe('success');
  });
});

test('a write that reverts after one reorg and succeeds after the next one is paid once', async () => {
  const call = await paidCall('possible again');
  await payers.send(call);
  const isSettled = async () => (await fixture.store.pending(0)).length === 0;
  await reorg(1, [await ofAnother(call.data)]);
  await untilRechecked('the price is back', async () => (await kinds(call.account)).length === 4);
  await untilRechecked('it has reverted', isSettled);
  await reorg((await blocksSince(call.account)) + 1);
  expect(await isOpen(call.account)).toBe(false);
  await untilRechecked('the write is back', () => isOpen(call.account));
  await untilRechecked('it has succeeded', isSettled);
  expect(await kinds(call.account)).toEqual(['credit', 'reserve', 'capture', 'credit', 'reserve', 'capture']);
  expect(await availableMicros(fixture.db, call.account)).toBe(90n);
});

test('a process that starts after a reorg leaves nonces to the writes that it dropped', async () => {
  const calls = await Promise.all(['left 1', 'left 2'].map(paidCall));
  for (const call of calls) await payers.send(call);
  const next = await fixture.store.nextNonce(payer());
  await reorg(2);
  const [key] = fixture.keys as [Hex, Hex];
  await fixture.payers({ signers: [localSigner(key)] }).start();
  expect(await fixture.store.nextNonce(payer())).toBe(next);
  for (const { account } of calls) await untilRechecked('the write is back', () => isOpen(account));
});

test('a payer whose nonce is ahead of the chain without a transaction heals', async () => {
  const nonce = (await fixture.store.nextNonce(payer())) ?? expect.unreachable();
  await fixture.store.raiseNonce(payer(), nonce + 2);
  await untilRechecked('the nonce is that of the chain', isLevel);
  expect((await payers.send(accountCall('healed'))).status).toBe('success');
});

test('a write waits for its confirmations, and one that a reorg drops meanwhile is not answered before it is back', async () => {
  const [, key] = fixture.keys as [Hex, Hex];
  const waiting = fixture.payers({ signers: [localSigner(key)], confirmations: 3 });
  await waiting.start();
  const { client } = fixture.anvil;
  const call = accountCall('confirmed');
  let isAnswered = false;
  const sent = waiting.send(call).then((receipt) => {
    isAnswered = true;
    return receipt;
  });
  await until('the write is mined', () => isOpen(call.account));
  await client.mine({ blocks: 1 });
  await reorg(2);
  expect(await isOpen(call.account)).toBe(false);
  await client.mine({ blocks: 3 });
  expect(isAnswered).toBe(false);
  await until('the write is mined again', () => isOpen(call.account));
  expect(isAnswered).toBe(false);
  await client.mine({ blocks: 2 });
  const { blockNumber, status } = await sent;
  expect(status).toBe('success');
  expect(await client.getBlockNumber()).toBeGreaterThanOrEqual(blockNumber + 2n);
});
