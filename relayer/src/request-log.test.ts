import type { EndedRequest } from '@latchkey/http';
import { expect, test } from 'vitest';
import type { NewRequest } from './db/request-records.ts';
import { createRequestLog, type NotStored } from './request-log.ts';

const ended = (fields: Partial<EndedRequest> = {}): EndedRequest => ({
  requestId: 'id',
  account: 1n,
  keyHash: 2n,
  method: 'GET',
  route: '/core/v1/list_groups',
  status: 200,
  error: undefined,
  durationMs: 3,
  chargedMicros: 0n,
  ...fields,
});

function openLog(
  save: (requests: readonly NewRequest[]) => Promise<void> = async () => {},
  maxWaiting = 100,
) {
  const stored: NewRequest[][] = [];
  const lost: Partial<Record<NotStored, number>> = {};
  const log = createRequestLog({
    save: async (requests) => {
      await save(requests);
      stored.push([...requests]);
    },
    onNotStored: (reason, count) => {
      lost[reason] = (lost[reason] ?? 0) + count;
    },
    maxWaiting,
  });
  return { log, stored, lost };
}

test('stores what was added by one statement, and nothing without requests', async () => {
  const { log, stored } = openLog();
  await log.store();
  expect(stored).toEqual([]);
  log.add(ended());
  log.add(ended({ status: 402, error: 'payment_required', chargedMicros: 5n }));
  log.add(ended({ status: 503 }));
  log.add(ended({ status: undefined }));
  await log.store();
  await log.store();
  expect(stored).toHaveLength(1);
  expect(stored[0]?.map(({ outcome, status }) => [outcome, status])).toEqual([
    ['success', 200],
    ['refused', 402],
    ['failed', 503],
    ['aborted', null],
  ]);
  expect(stored[0]?.[1]).toMatchObject({ error: 'payment_required', chargedMicros: 5, omitted: 0 });
});

test('a stranger who sends without end has 20 rows, and takes none from others', async () => {
  const { log, stored, lost } = openLog();
  for (let n = 0; n < 10_000; n++) log.add(ended({ account: 7n }));
  log.add(ended({ account: 8n }));
  await log.store();
  const rows = stored[0] ?? [];
  expect(rows.filter(({ account }) => account.endsWith('7'))).toHaveLength(20);
  expect(rows.filter(({ account }) => account.endsWith('8'))).toHaveLength(1);
  expect(rows.map(({ omitted }) => omitted).filter(Boolean)).toEqual([9_980]);
  expect(lost).toEqual({ account: 9_980 });
  log.add(ended({ account: 7n }));
  await log.store();
  expect(stored[1]).toHaveLength(1);
});

test('many accounts fill no more than the buffer while the database is slow', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { log, stored, lost } = openLog(() => promise);
  log.add(ended());
  const storing = log.store();
  for (let n = 0; n < 5_000; n++) log.add(ended({ account: BigInt(n) }));
  expect(lost).toEqual({ buffer: 4_900 });
  resolve();
  await storing;
  await log.store();
  expect(stored.map((rows) => rows.length)).toEqual([1, 100]);
});

test('requests that the database refuses are counted and not kept', async () => {
  let isDown = true;
  const { log, stored, lost } = openLog(async () => {
    if (isDown) throw new Error('down');
  });
  log.add(ended());
  log.add(ended());
  await expect(log.store()).rejects.toThrow('down');
  expect(lost).toEqual({ database: 2 });
  isDown = false;
  log.add(ended());
  await log.store();
  expect(stored.map((rows) => rows.length)).toEqual([1]);
});
