import { accountConfigAbi } from '@latchkey/protocol';
import { localSigner } from '@latchkey/service/secp256k1';
import { DEPLOYER_KEY } from '@latchkey/testing/chain';
import { until } from '@latchkey/testing/until';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountCall, type OutboxFixture, openOutboxFixture, storeOnly } from '../../test/outbox-fixture.ts';

let fixture: OutboxFixture;
beforeEach(async () => {
  fixture = await openOutboxFixture({ payerCount: 2 });
});
afterEach(() => fixture[Symbol.asyncDispose]());

/** Opens a process that has the keys of these payers. */
const started = async (...indexes: number[]) => {
  const payers = fixture.payers({ signers: indexes.map((index) => localSigner(fixture.keys[index] as Hex)) });
  await payers.start();
  return payers;
};
/** Sends the owner's transaction that sets the payers, ahead of all others of its block. */
const setPayers = (...indexes: number[]): Promise<Hex> =>
  fixture.anvil.client.writeContract({
    account: privateKeyToAccount(DEPLOYER_KEY),
    address: fixture.contract,
    abi: accountConfigAbi,
    functionName: 'setApiPayers',
    args: [indexes.map((index) => fixture.addresses[index] as Address)],
    maxFeePerGas: 500n * 10n ** 9n,
    maxPriorityFeePerGas: 400n * 10n ** 9n,
  });
const inMempool = (count: number) =>
  until(`${count} transactions in the mempool`, async () => {
    const { pending } = await fixture.anvil.client.getTxpoolStatus();
    return pending === count;
  });
const senders = (receipts: { from: Address }[]): Address[] => receipts.map(({ from }) => from);
const address = (index: number) => fixture.addresses[index]?.toLowerCase();

test('writes go on from the block in which the contract loses a payer, and one that it gains is used', async () => {
  const payers = await started(0, 1);
  await setPayers(1);
  const receipts = await Promise.all(['a', 'b', 'c'].map((name) => payers.send(accountCall(name))));
  expect(senders(receipts)).toEqual([address(1), address(1), address(1)]);
  expect(payers.status()).toMatchObject([{ isApiPayer: false }, { isApiPayer: true }]);
  await setPayers(0, 1);
  payers.setApiPayers(fixture.addresses);
  expect((await payers.send(accountCall('d'))).from).toBe(address(0));
});

test('another payer sends the writes of one that the contract lost before they were mined, each once', async () => {
  const payers = await started(0, 1);
  await fixture.anvil.client.setAutomine(false);
  const sent = Promise.all(['a', 'b', 'c'].map((name) => payers.send(accountCall(name, name))));
  await inMempool(3);
  await setPayers(1);
  await inMempool(4);
  await fixture.anvil.client.setAutomine(true);
  await fixture.anvil.client.mine({ blocks: 1 });
  expect(senders(await sent)).toEqual([address(1), address(1), address(1)]);
  expect(fixture.mined).toHaveLength(3);
  expect(await fixture.store.pending(0)).toEqual([]);
});

test('a process without the key of a removed payer sends and settles what it left', async () => {
  await fixture.store.raiseNonce(fixture.addresses[0] as Address, 0);
  await storeOnly(fixture, 0, 'left');
  const now = await started(1);
  await until('the transaction is settled', async () => (await fixture.store.pending(0)).length === 0);
  expect(fixture.mined.map(({ account }) => account)).toContain(accountCall('left').account);
  expect((await now.send(accountCall('next'))).from).toBe(address(1));
});
