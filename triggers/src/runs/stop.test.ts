import { randomUUID } from 'node:crypto';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addTrigger, addUser, clear, readRun, sealer, usageKey } from '../../test/fixtures.ts';
import type { Database } from '../db/database.ts';
import { runs, triggers } from '../db/schema.ts';
import { RelayerUnavailableError } from '../relayer-client.ts';
import { storeRevision } from './revisions.ts';
import { stopRun } from './stop.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
/** Requests for a stop, as key and id of the relayer. */
let asked: [string, string][];
let answer: () => Promise<void>;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clear(db);
  asked = [];
  answer = async () => {};
});

const stop = (id: string) => {
  const relayer = {
    stopRun: (key: string, runId: string) => {
      asked.push([key, runId]);
      return answer();
    },
  };
  return stopRun({ db, relayer, sealer }, id);
};

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
  const relayerRunId = randomUUID();
  const askedAt = new Date();

  test.each([
    ['without a request', {}, 'the run was stopped before it began', 0],
    ['whose reply was lost', { askedAt }, mayHaveRun, 0],
    ['whose reply was lost after it began', { askedAt, relayerRunId }, mayHaveRun, 1],
  ])('%s ends, and the relayer stops what it has begun', async (_name, fields, message, requests) => {
    const id = await addRun(fields);
    await stop(id);
    expect(asked).toEqual(Array(requests).fill([usageKey, relayerRunId]));
    expect(await readRun(db, id)).toMatchObject({
      status: 'failed',
      error: { name: 'StoppedError', message },
      costMicros: null,
    });
  });

  test('waits while the relayer cannot be asked', async () => {
    answer = () => Promise.reject(new RelayerUnavailableError('down'));
    const id = await addRun({ askedAt, relayerRunId });
    await expect(stop(id)).rejects.toThrow(RelayerUnavailableError);
    expect((await readRun(db, id)).status).toBe('queued');
  });
});

test('asks for each execution of a run that is tried again meanwhile', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const id = await addRun({ status: 'running', relayerRunId: first });
  const stopped = stop(id);
  await until('the first execution is stopped', async () => asked.length === 1);
  await db.update(runs).set({ relayerRunId: second });
  await until('the second execution is stopped', async () => asked.length === 2);
  await db.update(runs).set({ status: 'failed' });
  await stopped;
  expect(asked).toEqual([
    [usageKey, first],
    [usageKey, second],
  ]);
});

test('a run that was deleted meanwhile has ended', async () => {
  await stop(randomUUID());
  expect(asked).toEqual([]);
});
