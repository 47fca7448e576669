import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeesTooHighError, TooMuchGasError } from '@latchkey/chain/errors';
import type { OutboxOptions } from '@latchkey/outbox';
import { repository } from '@latchkey/service/settings';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { availableMicros, move } from '../billing/ledger.ts';
import { transactions } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { createGasCounter } from '../metrics.ts';
import { mapError } from '../routes/map-error.ts';

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));

/** Less than the estimate for opening an account, about 100,000 gas. */
const below = 80_000;
const above = 120_000;

const start = async (options: Partial<OutboxOptions>) => {
  const payers = fixture.payers(options);
  await payers.start();
  return payers;
};

describe('a write above MAX_WRITE_GAS', () => {
  test('is refused before it is stored, and costs nothing', async () => {
    const payers = await start({ maxWriteGas: below });
    const call = accountCall('too large');
    await move(fixture.db, call.account, 'credit', 100n, { externalId: 'too large', reason: 'test' });
    const payment = { key: call.account, amountMicros: 10n, reason: 'test' };
    const failed = payers.send({ ...call, payment });
    await expect(failed).rejects.toThrow(TooMuchGasError);
    expect(await fixture.db.select().from(transactions)).toEqual([]);
    expect(await availableMicros(fixture.db, call.account)).toBe(100n);
    expect(mapError(await failed.catch((error: unknown) => error), undefined)).toMatchObject({
      status: 400,
      message: expect.stringMatching(/would use \d+ gas.*at most 80000.*Nothing was changed or charged/),
      fix: expect.stringContaining('Name fewer groups'),
    });
  });

  test('is sent below the limit, and as a batch whose writes are below it together', async () => {
    const payers = await start({ maxWriteGas: above });
    expect(await payers.send(accountCall('small'))).toMatchObject({ status: 'success' });
    const batching = await start({ maxWriteGas: below });
    expect(await batching.send({ ...accountCall('batch'), writes: 2n })).toMatchObject({ status: 'success' });
  });
});

test('a write is 503 while the chain asks for more than the ceiling, costs nothing, and succeeds afterwards', async () => {
  const refused = await start({ feeCeiling: 1n });
  const call = accountCall('too dear');
  const stored = await fixture.db.$count(transactions);
  const failed = refused.send(call);
  await expect(failed).rejects.toThrow(FeesTooHighError);
  expect(mapError(await failed.catch((error: unknown) => error), undefined)).toMatchObject({
    status: 503,
    isPublic: true,
    message: 'the fees of the chain are higher than this service pays',
  });
  expect(await fixture.db.$count(transactions)).toBe(stored);
  const paying = await start({ feeCeiling: 10n ** 12n });
  expect(await paying.send(call)).toMatchObject({ status: 'success' });
});

test('the metric has the gas of a function, and the query of the docs the gas of an account', async () => {
  const registry = new Registry();
  const count = createGasCounter(registry);
  const payers = await start({ onSettled: ({ data }, receipt) => count(data, receipt) });
  const call = accountCall('counted');
  const { gasUsed } = await payers.send(call);
  expect(await registry.metrics()).toContain(
    `write_gas_total{function="newAccount",outcome="success"} ${gasUsed}`,
  );
  const page = readFileSync(join(repository, 'docs/relayer.md'), 'utf8');
  const [, query = ''] = /```sql\n([^`]+)```/.exec(page) ?? [];
  const { rows } = (await fixture.db.execute(sql.raw(query))) as unknown as {
    rows: Record<string, string>[];
  };
  const row = rows.find(({ account }) => account === hashText(call.account));
  expect(row).toMatchObject({ selector: call.data.slice(0, 10), count: '1' });
  expect(Number(row?.gas)).toBeGreaterThan(Number(gasUsed));
  expect(Number(row?.gas)).toBeLessThan(2 * Number(gasUsed));
});
