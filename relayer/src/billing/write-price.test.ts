/**
 * The price of an admin write: reserved with the stored transaction, captured or released by its outcome on the chain.
 */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { describe, expect, test } from 'vitest';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { hashText } from '../db/text.ts';
import { readCaps } from './caps.ts';
import { availableMicros, InsufficientCreditError, listEntries, move, throwRefusal } from './ledger.ts';

const fixture = disposeAfterAll(await openOutboxFixture());

const caps = {
  spendCapCents: 7,
  spendWindowSec: null,
  maxRunsPerMinute: null,
  maxConcurrency: null,
  maxRunSec: null,
};

async function paidCall(name: string, credit: bigint, idempotencyId?: string) {
  const call = accountCall(name, idempotencyId);
  const cause = { externalId: `start ${name}`, reason: 'test' };
  if (credit > 0n) await move(fixture.db, call.account, 'credit', credit, cause);
  const key = call.account;
  return {
    ...call,
    payment: { key, amountMicros: 10n, reason: name },
    capsChange: { key: hashText(key), caps },
  };
}
const listKinds = async (account: bigint) =>
  (await listEntries(fixture.db, account, { offset: 0, limit: 100 })).entries
    .map(({ kind }) => kind)
    .reverse();
const capsOfKey = async (key: bigint) => (await readCaps(fixture.db, [hashText(key)])).size;

describe('a write', () => {
  test('that succeeds is paid once and applies its caps', async () => {
    const payers = fixture.payers();
    await payers.start();
    const call = await paidCall('succeeds', 100n, 'succeeds');
    expect((await payers.send(call)).status).toBe('success');
    await payers.send(call);
    expect(await listKinds(call.account)).toEqual(['credit', 'reserve', 'capture']);
    expect(await availableMicros(fixture.db, call.account)).toBe(90n);
    expect(await capsOfKey(call.account)).toBe(1);
    await payers.close();
  });

  test('without credit is not stored and uses no nonce', async () => {
    const payers = fixture.payers();
    await payers.start();
    const poor = await paidCall('is poor', 9n);
    await expect(payers.send(poor).catch(throwRefusal)).rejects.toBeInstanceOf(InsufficientCreditError);
    expect(await listKinds(poor.account)).toEqual(['credit']);
    expect(await capsOfKey(poor.account)).toBe(0);
    const rich = await paidCall('is rich', 10n);
    expect((await payers.send(rich)).status).toBe('success');
    await payers.close();
  });

  test('that fails simulation costs nothing', async () => {
    const payers = fixture.payers();
    await payers.start();
    const call = await paidCall('is refused', 100n);
    await payers.send(call);
    await expect(payers.send(call)).rejects.toThrow();
    expect(await listKinds(call.account)).toEqual(['credit', 'reserve', 'capture']);
    await payers.close();
  });

  test('that reverts in its block is refunded', async () => {
    const payers = fixture.payers();
    await payers.start();
    const call = await paidCall('reverts', 100n);
    const { client } = fixture.anvil;
    await client.setAutomine(false);
    const both = Promise.allSettled([payers.send(call), payers.send(call)]);
    await expect.poll(() => listKinds(call.account)).toHaveLength(3);
    expect(await availableMicros(fixture.db, call.account)).toBe(80n);
    await client.setAutomine(true);
    await client.mine({ blocks: 1 });
    const outcomes = (await both).map(({ status }) => status);
    expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
    expect((await listKinds(call.account)).sort()).toEqual([
      'capture',
      'credit',
      'release',
      'reserve',
      'reserve',
    ]);
    expect(await availableMicros(fixture.db, call.account)).toBe(90n);
    await payers.close();
  });

  test('without a receipt stays reserved until a later process settles it from the chain', async () => {
    const before = fixture.payers({ timeoutMs: 300 });
    await before.start();
    const call = await paidCall('waits', 100n);
    const { client } = fixture.anvil;
    await client.setAutomine(false);
    await expect(before.send(call)).rejects.toThrow(/in time/);
    expect(await listKinds(call.account)).toEqual(['credit', 'reserve']);
    expect(await capsOfKey(call.account)).toBe(0);
    const after = fixture.payers();
    await after.start();
    expect(await listKinds(call.account)).toEqual(['credit', 'reserve']);
    await client.setAutomine(true);
    await client.mine({ blocks: 1 });
    await expect.poll(() => listKinds(call.account)).toEqual(['credit', 'reserve', 'capture']);
    expect(await capsOfKey(call.account)).toBe(1);
    await Promise.all([before.close(), after.close()]);
    expect(await listKinds(call.account)).toEqual(['credit', 'reserve', 'capture']);
  });
});
