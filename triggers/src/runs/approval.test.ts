/** A run that needs an approval waits for it in the queue, and then goes on. */
import { randomUUID } from 'node:crypto';
import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun, sealer, usageKey } from '../../test/fixtures.ts';
import { type Behaviour, type RelayerStandIn, startRelayerStandIn } from '../../test/relayer-stand-in.ts';
import { attempts, runs, triggers } from '../db/schema.ts';
import { createRelayerClient } from '../relayer-client.ts';
import { storeRevision } from './revisions.ts';
import { stopRun } from './stop.ts';
import { startWorker, type Worker } from './worker.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const approvalId = randomUUID();
const error = { name: 'ApprovalRequiredError', message: 'the run waits', stack: '' };
const needsApproval: Behaviour = {
  kind: 'run',
  reply: { response: null, logs: 'asked\n', has_error: true, error, approval_id: approvalId },
};
const notYet: Behaviour = {
  kind: 'status',
  status: 409,
  error: 'conflict',
  headers: { 'Retry-After': '5' },
};
const refused: Behaviour = { kind: 'status', status: 409, error: 'conflict' };
const done: Behaviour = { kind: 'run', reply: { response: 'done', logs: 'went on\n', has_error: false } };

let relayer: RelayerStandIn;
let worker: Worker;
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(async () => {
  await clear(db);
  relayer = await startRelayerStandIn();
  const client = createRelayerClient([relayer.url]);
  worker = startWorker({ db, relayer: client, sealer, log, maxConcurrent: 4, maxConcurrentPerAccount: 4 });
});
afterEach(async () => {
  await worker.close();
  await relayer[Symbol.asyncDispose]();
});

/** Fires a run at a relayer that answers its requests so, one after the other. Resolves to its id when it waits for the approval. */
async function fire(...answers: Behaviour[]): Promise<{ id: string; triggerId: string }> {
  relayer.behave = (_, number) => answers[Math.min(number, answers.length) - 1] as Behaviour;
  const trigger = await addTrigger(db, await addUser(db));
  const [id] = await addRuns(db, trigger, 1);
  worker.wake();
  await until('the run waits', async () => (await readRun(db, id as string)).approvalId !== null);
  return { id: id as string, triggerId: trigger.id };
}
/** Makes the run due until it has ended. */
const waitForEnd = (id: string) =>
  until('the run ends', async () => {
    await db.update(runs).set({ dueAt: sql`now()` }).where(eq(runs.status, 'queued'));
    worker.wake();
    const run = await readRun(db, id);
    return run.finishedAt !== null && run;
  });

test('waits without an attempt, shows its approval, and then goes on once with its own idempotency key', async () => {
  const { id } = await fire(needsApproval, notYet, notYet, done);
  expect(await readRun(db, id)).toMatchObject({
    status: 'queued',
    attempt: 0,
    approvalId,
    logs: 'asked\n',
    costMicros: 10_000,
    askedAt: null,
    revision: 1,
  });
  expect(await waitForEnd(id)).toMatchObject({
    status: 'success',
    response: 'done',
    logs: 'went on\n',
    attempt: 1,
    costMicros: 20_000,
  });
  const [first, ...later] = relayer.requests;
  expect(first?.body).toMatchObject({ js_params: {} });
  expect(first?.idempotencyKey).not.toBe(approvalId);
  expect(later).toHaveLength(3);
  for (const { body, idempotencyKey } of later) {
    expect(body).toEqual({ code: first?.body.code, approval_id: approvalId });
    expect(idempotencyKey).toBe(approvalId);
  }
  expect(relayer.effects.size).toBe(2);
  expect(await db.select().from(attempts)).toMatchObject([{ number: 1, httpStatus: 200 }]);
});

test('fails when the approval is refused, expired or used, with the cost until there', async () => {
  const { id } = await fire(needsApproval, notYet, refused);
  expect(await waitForEnd(id)).toMatchObject({
    status: 'failed',
    error: { name: 'conflict', message: 'refused' },
    costMicros: 10_000,
  });
  expect(relayer.requests).toHaveLength(3);
});

test('a second approval follows the first', async () => {
  const second = randomUUID();
  const again = { ...needsApproval, reply: { ...needsApproval.reply, approval_id: second } };
  const { id } = await fire(needsApproval, again, done);
  expect(await waitForEnd(id)).toMatchObject({ status: 'success', approvalId: second, costMicros: 30_000 });
  expect(relayer.requests.map(({ idempotencyKey }) => idempotencyKey).slice(1)).toEqual([approvalId, second]);
});

test('keeps its usage key and code when the trigger is changed meanwhile', async () => {
  const { id, triggerId } = await fire(needsApproval, notYet, notYet, done);
  await db.transaction(async (tx) => {
    await storeRevision(tx, triggerId);
    const usageApiKey = sealer.seal('another key', triggerId);
    await tx.update(triggers).set({ revision: 2, usageApiKey, actionCode: 'other' });
  });
  await waitForEnd(id);
  expect(new Set(relayer.requests.map(({ key, body }) => `${key} ${body.code}`)).size).toBe(1);
  expect(relayer.requests[0]?.key).toBe(usageKey);
});

test('a continuation whose reply is lost is asked for again with the same idempotency key', async () => {
  const { id } = await fire(needsApproval, { kind: 'lose' }, done);
  expect(await waitForEnd(id)).toMatchObject({ status: 'success' });
  expect(relayer.effects.size).toBe(2);
});

test('a first reply that was lost is known once the run waits: it is not forgotten after days', async () => {
  const { id } = await fire({ kind: 'lose' }, needsApproval, done);
  expect(await readRun(db, id)).toMatchObject({ status: 'queued', askedAt: null, approvalId });
  expect(await waitForEnd(id)).toMatchObject({ status: 'success' });
});

test('a reply that is lost while it waits is known with the next 409: it is not forgotten after days', async () => {
  const { id } = await fire(needsApproval, { kind: 'status', status: 503 }, notYet, done);
  const afterRequest = async (number: number) => {
    await db.update(runs).set({ dueAt: sql`now()` });
    worker.wake();
    return until('the request ends', async () => {
      const run = await readRun(db, id);
      return relayer.requests.length === number && run.status === 'queued' && run;
    });
  };
  expect((await afterRequest(2)).askedAt).not.toBeNull();
  expect(await afterRequest(3)).toMatchObject({ askedAt: null, revision: 1 });
  expect(await waitForEnd(id)).toMatchObject({ status: 'success' });
});

test('can be stopped while it waits', async () => {
  const { id } = await fire(needsApproval, notYet);
  await stopRun({ db, relayer: { stopRun: async () => {} }, sealer }, id);
  expect(await readRun(db, id)).toMatchObject({
    status: 'failed',
    error: { name: 'StoppedError', message: 'the run was stopped while it waited for an approval' },
  });
});

test('a run whose stop is not done yet is not requested again', async () => {
  const { id } = await fire(needsApproval, done);
  await db.update(runs).set({ stopRequestedAt: sql`now()`, dueAt: sql`now()` });
  worker.wake();
  await until('the run was claimed', async () => {
    const { claim, status } = await readRun(db, id);
    return claim === 2 && status === 'queued';
  });
  expect(relayer.requests).toHaveLength(1);
});
