import { localSigner } from '@latchkey/service/secp256k1';
import { until } from '@latchkey/testing/until';
import { type Address, type Hex, parseTransaction } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectToLiar, type Lie } from '../../test/lying-node.ts';
import { accountCall, ETHER, type OutboxFixture, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { transactions } from '../db/schema.ts';

let fixture: OutboxFixture;
let admin: Address;
let low: Address;
beforeEach(async () => {
  fixture = await openOutboxFixture({ payerCount: 3 });
  [admin, low] = fixture.addresses as [Address, Address];
  await fixture.anvil.client.setBalance({ address: low, value: ETHER / 2n });
});
afterEach(() => fixture[Symbol.asyncDispose]());

const limits = { belowWei: ETHER, upToWei: 5n * ETHER, perDayWei: 8n * ETHER };
const started = async () => {
  const payers = fixture.payers();
  await payers.start();
  return payers;
};
const balance = () => fixture.anvil.client.getBalance({ address: low });
const rows = () => fixture.db.select().from(transactions);
const settled = () =>
  until('no transaction is pending', async () => (await fixture.store.pending(0)).length === 0);

test('a payer that is low gets its balance from the admin payer, and one that is not gets nothing', async () => {
  const payers = await started();
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  await settled();
  expect(await balance()).toBe(5n * ETHER);
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  expect(await rows()).toMatchObject([{ payer: admin, data: '0x', status: 'mined' }]);
  expect((await payers.send(accountCall('after'))).status).toBe('success');
});

test('a balance that one RPC node of three invents causes no refill', async () => {
  await fixture.anvil.client.setBalance({ address: low, value: 100n * ETHER });
  const lie: Lie = ({ method }, result) => (method === 'eth_getBalance' ? '0x0' : result);
  await using connected = await connectToLiar(fixture.anvil.url, lie, 2);
  const payers = fixture.payers({ chain: connected.chain });
  await payers.start();
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  expect(await rows()).toEqual([]);
  await payers.close();
});

test('processes that see a low payer concurrently refill it once', async () => {
  const processes = [await started(), await started(), await started()];
  await fixture.anvil.client.setAutomine(false);
  await Promise.all(processes.map((payers) => payers.refill(fixture.db, admin, limits)));
  await processes[1]?.refill(fixture.db, admin, limits);
  expect(await rows()).toHaveLength(1);
  await fixture.anvil.client.setAutomine(true);
  await fixture.anvil.client.mine({ blocks: 1 });
  await settled();
  expect(await balance()).toBe(5n * ETHER);
});

test('the refills of a day end at their limit, over all processes, and the last one is smaller', async () => {
  const spend = async (value: bigint) => fixture.anvil.client.setBalance({ address: low, value });
  const reached: boolean[] = [];
  for (const value of [0n, 0n, 0n]) {
    await spend(value);
    reached.push(await (await started()).refill(fixture.db, admin, limits));
    await settled();
  }
  expect(reached).toEqual([false, true, true]);
  const values = (await rows()).map(({ raw }) => parseTransaction(raw as Hex).value);
  expect(values.toSorted()).toEqual([3n * ETHER, 5n * ETHER]);
  // Another day.
  await fixture.db.update(transactions).set({ createdAt: new Date(Date.now() - 86_400_000) });
  expect(await (await started()).refill(fixture.db, admin, limits)).toBe(false);
  await settled();
  expect(await balance()).toBe(5n * ETHER);
});

test('a refill whose process dies before the broadcast is sent by the next one, once', async () => {
  const broken = fixture.payers({
    chain: { ...fixture.chain, sendRawTransactions: () => new Promise(() => {}) },
  });
  await broken.start();
  void broken.refill(fixture.db, admin, limits);
  await until('the refill is stored', async () => (await fixture.store.pending(0)).length === 1);
  expect(await balance()).toBe(ETHER / 2n);
  const next = await started();
  await settled();
  expect(await balance()).toBe(5n * ETHER);
  expect(await next.refill(fixture.db, admin, limits)).toBe(false);
  expect(await rows()).toHaveLength(1);
});

test('nothing is refilled without the key or the funds of the admin payer, or to an unknown payer', async () => {
  const without = fixture.payers({ signers: [localSigner(fixture.keys[1] as Hex)] });
  await expect(without.refill(fixture.db, admin, limits)).rejects.toThrow('the key of the admin payer');
  const payers = await started();
  payers.setApiPayers([admin]);
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  payers.setApiPayers(fixture.addresses);
  await fixture.anvil.client.setBalance({ address: admin, value: ETHER });
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  // Enough for the refill, and not for its gas.
  await fixture.anvil.client.setBalance({ address: admin, value: (9n * ETHER) / 2n });
  expect(await payers.refill(fixture.db, admin, limits)).toBe(false);
  expect(await rows()).toEqual([]);
});

test('a refill without effect does not count towards the limit of the day', async () => {
  await (await started()).refill(fixture.db, admin, limits);
  await settled();
  await fixture.db.update(transactions).set({ status: 'replaced' });
  await fixture.anvil.client.setBalance({ address: low, value: 0n });
  expect(await (await started()).refill(fixture.db, admin, limits)).toBe(false);
  await settled();
  expect(await balance()).toBe(5n * ETHER);
});
