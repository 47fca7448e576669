import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createNewAccountGas } from './new-account-gas.ts';
import { sweep } from './retention.ts';
import { newAccountGas } from './schema.ts';

const database = disposeAfterAll(await openTestDatabase());
beforeEach(() => database.db.delete(newAccountGas));

const open = () => createNewAccountGas(database.db, { gasPerHour: 1_000_000 });
const counted = async () => (await database.db.select().from(newAccountGas)).map(({ gas }) => gas);

test('two processes together do not exceed the gas of an hour, and a restart does not forget it', async () => {
  const [a, b] = [open(), open()];
  const reserved = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? a : b).reserve(300_000n)),
  );
  expect(reserved.filter(Boolean)).toHaveLength(3);
  expect(await counted()).toEqual([900_000n]);
  expect(await open().reserve(100_001n)).toBeUndefined();
  expect(await open().reserve(100_000n)).toBeDefined();
});

test('replaces an estimate by the gas of the receipt', async () => {
  const gas = open();
  const [first, second] = [await gas.reserve(500_000n), await gas.reserve(500_000n)];
  await first?.settle(200_000n);
  await second?.settle(0n);
  expect(await counted()).toEqual([200_000n]);
});

test('counts each hour for itself, and earlier days are deleted', async () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await database.db.insert(newAccountGas).values([
    { hour: hoursAgo(30), gas: 1_000_000n },
    { hour: hoursAgo(2), gas: 1_000_000n },
  ]);
  await open().reserve(400_000n);
  await sweep(database.db, 30);
  expect((await counted()).sort()).toEqual([1_000_000n, 400_000n]);
});
