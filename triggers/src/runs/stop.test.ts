import { randomUUID } from 'node:crypto';
import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addTrigger, addUser, clear, readRun, sealer, usageKey } from '../../test/fixtures.ts';
import { revisions, runs, triggers } from '../db/schema.ts';
import { RelayerUnavailableError } from '../relayer-client.ts';
import { claim } from './claim.ts';
import { storeRevision } from './revisions.ts';
import { startStopper, stopRun } from './stop.ts';

/** Requests for a stop, as usage key and idempotency key. */
let asked: [string, string][];
let answer: () => Promise<void>;
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(async () => {
  await clear(db);
  asked = [];
  answer = async () => {};
});

const relayer = {
  stopRun: (key: string, idempotencyKey: string) => {
    asked.push([key, idempotencyKey]);
    return answer();
  },
};
const stop = (id: string, signal?: AbortSignal) => stopRun({ db, relayer, sealer }, id, signal);

/** Adds a run of revision 1 of a trigger that has another usage key since. */
async function addRun(fields: Partial<typeof runs.$inferInsert>): Promise<string> {
  const { id: triggerId, userId } = await addTrigger(db, await addUser(db));
  await storeRevision(db, triggerId);
  await db.update(triggers).set({ usageApiKey: sealer.seal('other key', triggerId), revision: 2 });
  const [run] = await db
    .insert(runs)
    .values({ triggerId, userId, number: 1, input: {}, revision: 1, ...fields })
    .returning();
  return run?.id ?? '';
}

describe('a queued run', () => {
  const mayHaveRun =
    'the run was stopped while its outcome was unknown: the relayer may have executed and charged it';
  const idempotencyKey = randomUUID();
  const askedAt = new Date();

  test.each([
    ['without a request', {}, 'the run was stopped before it began', 0],
    ['whose reply was lost', { askedAt, idempotencyKey }, mayHaveRun, 1],
    ['whose reply was lost after it was approved', { askedAt, approvalId: idempotencyKey }, mayHaveRun, 1],
  ])('%s ends, and the relayer stops what it has begun', async (_name, fields, message, requests) => {
    const id = await addRun(fields);
    await stop(id);
    expect(asked).toEqual(Array(requests).fill([usageKey, idempotencyKey]));
    expect(await readRun(db, id)).toMatchObject({
      status: 'failed',
      error: { name: 'StoppedError', message },
      costMicros: null,
    });
  });
});

describe('a run whose stop the relayer has not accepted', () => {
  const idempotencyKey = randomUUID();
  const down = () => Promise.reject(new RelayerUnavailableError('down'));
  const log = createLogger({ name: 'test', level: 'silent' });

  test('that is queued ends once the relayer answers, also at a process that starts later', async () => {
    answer = down;
    const id = await addRun({ askedAt: new Date(), idempotencyKey });
    await stop(id, AbortSignal.timeout(300));
    expect((await readRun(db, id)).status).toBe('queued');
    answer = async () => {};
    await using _stopper = startStopper({ db, relayer, sealer, log });
    const run = await until('the run ends', async () => {
      const run = await readRun(db, id);
      return run.finishedAt !== null && run;
    });
    expect(run).toMatchObject({ status: 'failed', error: { name: 'StoppedError' } });
    expect(asked.at(-1)).toEqual([usageKey, idempotencyKey]);
  });

  test('that waits at the relayer is stopped there, however long it has waited, and whichever process asks', async () => {
    const id = await addRun({ status: 'running', idempotencyKey });
    await stop(id, AbortSignal.timeout(300));
    asked = [];
    await using _stopper = startStopper({ db, relayer, sealer, log });
    await until('the relayer is asked again', async () => asked.length >= 2);
    expect(asked[0]).toEqual([usageKey, idempotencyKey]);
  });

  test('that is queued ends without a request when no sealing key opens its usage key', async () => {
    const id = await addRun({ askedAt: new Date() });
    await db.update(revisions).set({ usageApiKey: sealer.seal(usageKey, 'another context') });
    await stop(id);
    expect(await readRun(db, id)).toMatchObject({ status: 'failed', error: { name: 'StoppedError' } });
    expect(asked).toEqual([]);
  });

  test('ends when it comes back into the queue, and is not requested again', async () => {
    const id = await addRun({ stopRequestedAt: new Date() });
    expect(await claim(db, { limit: 1, perUser: 1 })).toMatchObject([{ id, isStopped: true }]);
    await db.update(runs).set({ status: 'queued' });
    await using _stopper = startStopper({ db, relayer, sealer, log });
    await until('the run ends', async () => (await readRun(db, id)).status === 'failed');
    expect(asked).toEqual([]);
  });
});

test('a run that was deleted meanwhile has ended', async () => {
  await stop(randomUUID());
  expect(asked).toEqual([]);
});
