/** The life of an approval in the database, with concurrent claims. */
import { randomUUID } from 'node:crypto';
import { type ApprovalDecision, buildApproval } from '@latchkey/protocol';
import {
  type ApprovalRequest,
  failedResult,
  LONGEST_APPROVAL_SEC,
  noUsage,
  type RunResult,
  toRunError,
} from '@latchkey/runner-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addTestEndpoint, messagesTo } from '../../test/webhooks.ts';
import { move } from '../billing/ledger.ts';
import { RUN_SECOND_MICROS } from '../billing/money.ts';
import { endRun, openRun } from '../billing/run-rows.ts';
import { type ApprovalRecord, cancelApproval, listApprovals, stateOf } from '../db/approvals.ts';
import { sweep } from '../db/retention.ts';
import { approvals as table } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { rootSecretsFrom } from '../keys/root-secrets.ts';
import { createApprovals } from './approvals.ts';

const approver = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const contract = { chainId: 1, address: approver.address, read: async () => false as never };
const cid = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH';

const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('test');
const database = disposeAfterAll(await openTestDatabase());
const approvals = createApprovals({ db: database.db, sealer, contract });

function needing(seconds = 60): RunResult {
  const approval: ApprovalRequest = {
    summary: 'Pay',
    hash: `0x${'12'.repeat(32)}`,
    approvers: [approver.address],
    contractApprovers: [],
    passkeyApprovers: [],
    threshold: 1,
    expires: Math.floor(Date.now() / 1_000) + seconds,
  };
  const error = toRunError('ApprovalRequiredError', 'the run needs an approval');
  return { ...failedResult(error, 'logs', 5, noUsage), approval };
}
const input = (account = 1n) => ({
  runId: randomUUID(),
  account,
  key: 2n,
  cid,
  params: '{"secret":"of the caller"}',
  fields: { timeout_ms: 5_000, concurrency_key: 'a' },
  proofs: [],
});
async function opened(account?: bigint, seconds?: number): Promise<string> {
  const { approvalId } = await approvals.open(needing(seconds), input(account));
  return approvalId as string;
}
async function decide(decision: ApprovalDecision, id: string) {
  const { request, ...row } = (await approvals.find(id)) as ApprovalRecord;
  const statement = { ...row, ...request, account: BigInt(row.account), usageKeyHash: BigInt(row.key) };
  const signature = await approver.signTypedData(buildApproval(decision, statement, approvals.deployment));
  return approvals.decide(decision, { id, approver: approver.address, signature });
}
async function approved(account?: bigint, seconds?: number): Promise<string> {
  const id = await opened(account, seconds);
  await decide('ApproveRun', id);
  return id;
}
const inputOf = async (id: string) =>
  (await database.db.select({ input: table.input }).from(table).where(eq(table.id, id)))[0]?.input;

test('keeps the input of the run sealed, and gives it to the usage key of the run', async () => {
  const id = await approved();
  expect(await inputOf(id)).not.toContain('secret');
  expect(await approvals.findContinued(id, 2n)).toMatchObject({
    cid,
    params: '{"secret":"of the caller"}',
    fields: { timeout_ms: 5_000, concurrency_key: 'a' },
    proofs: [{ id, signatures: [{ approver: approver.address }] }],
  });
  await expect(approvals.findContinued(id, 3n)).rejects.toMatchObject({ status: 404 });
});

test('queues approval.wanted once, with the fields that an approver reads and no parameters', async () => {
  await addTestEndpoint(database.db, hashText(77n), { types: ['approval.wanted'] });
  await addTestEndpoint(database.db, hashText(77n), { types: ['run.finished'] });
  const run = input(77n);
  const { approvalId } = await approvals.open(needing(), run);
  await approvals.open(failedResult(toRunError('TypeError', 'x'), '', 5, noUsage), input(77n));
  const messages = await messagesTo(database.db, hashText(77n));
  const { summary, hash, approvers, threshold, expires } = needing().approval as ApprovalRequest;
  expect(messages.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: 'approval.wanted',
      data: {
        approval_id: approvalId,
        run_id: run.runId,
        cid,
        usage_key_hash: hashText(2n),
        summary,
        hash,
        approvers,
        contract_approvers: [],
        passkey_approvers: [],
        passkey_rp_id: null,
        threshold,
        expires: expect.closeTo(expires, -1),
      },
    },
  ]);
});

test('queues no event when it is not stored', async () => {
  const proof = { id: randomUUID(), expires: 1, signatures: [] };
  const many = { ...input(78n), proofs: Array.from({ length: 10 }, () => proof) };
  await addTestEndpoint(database.db, hashText(78n));
  await approvals.open(needing(), many);
  expect(await messagesTo(database.db, hashText(78n))).toEqual([]);
});

test('stays used when the relayer died after the claim', async () => {
  const id = await approved();
  await approvals.claim(await approvals.findContinued(id, 2n), 'run of a relayer that died');
  const other = createApprovals({ db: database.db, sealer, contract });
  await expect(other.findContinued(id, 2n)).rejects.toMatchObject({ status: 409, retryAfterSec: undefined });
});

test('the same signature is not written again', async () => {
  const id = await approved();
  const version = async () =>
    (await database.db.select({ xmin: sql`xmin::text` }).from(table).where(eq(table.id, id)))[0];
  const before = await version();
  expect(await decide('ApproveRun', id)).toMatchObject({ signedBy: [approver.address] });
  expect(await version()).toEqual(before);
});

test('the 409 of one that waits says when to ask again', async () => {
  await expect(approvals.findContinued(await opened(), 2n)).rejects.toMatchObject({
    status: 409,
    retryAfterSec: 5,
  });
});

test('is claimed by one of many runs, and its input is then gone', async () => {
  const id = await approved();
  const continued = await approvals.findContinued(id, 2n);
  const claims = await Promise.allSettled(
    Array.from({ length: 10 }, () => approvals.claim(continued, randomUUID())),
  );
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await inputOf(id)).toBeNull();
});

test('is given back by the run that has it, and by no other', async () => {
  const id = await approved();
  const continued = await approvals.findContinued(id, 2n);
  await approvals.claim(continued, 'run');
  await approvals.release(continued, 'other run');
  await expect(approvals.findContinued(id, 2n)).rejects.toMatchObject({ status: 409 });
  await approvals.release(continued, 'run');
  expect(await approvals.findContinued(id, 2n)).toEqual(continued);
});

describe('with runs', () => {
  const begin = async (id: string, account: bigint) => {
    const cause = { externalId: id, reason: 'test' };
    await move(database.db, account, 'credit', 10n * RUN_SECOND_MICROS, cause);
    await openRun(database.db, { id, account, key: 2n, cid, idempotencyId: undefined });
  };
  const report = { durationMs: 5, errorName: 'ApprovalRequiredError', usage: noUsage, receipt: undefined };
  const end = (id: string, ended: typeof report | null) =>
    endRun(database.db, id, { seconds: 0, outcome: null, output: null, report: ended });

  test('another request gets 429 until the run that has it ends, and can then use one that was given back', async () => {
    const id = await approved(90n);
    const continued = await approvals.findContinued(id, 2n);
    await begin('has it', 90n);
    await approvals.claim(continued, 'has it');
    const refusal = { status: 429, retryAfterSec: 5 };
    await expect(approvals.findContinued(id, 2n)).rejects.toMatchObject(refusal);
    await expect(approvals.claim(continued, 'other')).rejects.toMatchObject(refusal);
    await approvals.release(continued, 'has it');
    expect(await approvals.findContinued(id, 2n)).toEqual(continued);
    await approvals.claim(continued, 'has it');
    await end('has it', report);
    await expect(approvals.findContinued(id, 2n)).rejects.toMatchObject({ status: 409 });
  });

  test('one whose run ended waits; one whose relayer died before its run ended has expired', async () => {
    const ids: (string | undefined)[] = [];
    for (const name of ['ended', 'lost']) {
      await begin(name, 91n);
      ids.push((await approvals.open(needing(), { ...input(91n), runId: name })).approvalId);
    }
    await end('ended', report);
    await end('lost', null);
    const states = await Promise.all(
      ids.map(async (id = '') => stateOf((await approvals.find(id)) as ApprovalRecord)),
    );
    expect(states).toEqual(['waiting', 'expired']);
    expect(await inputOf(ids[1] ?? '')).toBeNull();
  });
});

test('is refused while a run has it: the refusal counts when the run gives it back', async () => {
  const id = await approved();
  const continued = await approvals.findContinued(id, 2n);
  await approvals.claim(continued, 'run');
  expect(stateOf((await decide('RefuseRun', id)) as ApprovalRecord)).toBe('used');
  await approvals.release(continued, 'run');
  expect(stateOf((await approvals.find(id)) as ApprovalRecord)).toBe('refused');
  expect(await inputOf(id)).toBeNull();
  await expect(approvals.findContinued(id, 2n)).rejects.toMatchObject({ status: 409 });
  await expect(approvals.claim(continued, 'run')).rejects.toMatchObject({ status: 409 });
});

test('a refusal of one that a run has does not last beyond its expiry', async () => {
  const id = await approved();
  await approvals.claim(await approvals.findContinued(id, 2n), 'run');
  await database.db.update(table).set({ expiresAt: sql`now()` }).where(eq(table.id, id));
  await expect(decide('RefuseRun', id)).rejects.toMatchObject({ status: 409 });
});

test('is not claimed before it is approved, after it was refused, or once it expired', async () => {
  const sealed = { proofs: [], sealed: '', cid, params: '', fields: {} };
  await expect(approvals.claim({ ...sealed, id: await opened() }, 'run')).rejects.toMatchObject({
    status: 409,
  });
  const expired = await approved();
  await database.db.update(table).set({ expiresAt: sql`now()` }).where(eq(table.id, expired));
  await expect(approvals.claim({ ...sealed, id: expired }, 'run')).rejects.toMatchObject({ status: 409 });
  await expect(approvals.claim({ ...sealed, id: randomUUID() }, 'run')).rejects.toMatchObject({
    status: 409,
  });
});

test('a usage key has at most 25 open ones, and an account 100; ended ones do not count', async () => {
  const openAs = async (key: bigint, account = 9n) => approvals.open(needing(), { ...input(account), key });
  const limited = (message: RegExp) => ({
    error: { name: 'ApprovalLimitError', message: expect.stringMatching(message) },
  });
  const ids: string[] = [];
  for (const key of [1n, 2n, 3n, 4n]) {
    for (let i = 0; i < 25; i++) ids.push((await openAs(key)).approvalId as string);
    if (key < 4n) expect(await openAs(key)).toMatchObject(limited(/usage key has 25/));
  }
  expect(ids).not.toContain(undefined);
  expect(await openAs(5n)).toMatchObject(limited(/account has 100/));
  expect((await openAs(1n, 10n)).approvalId).toBeDefined();
  await database.db
    .update(table)
    .set({ expiresAt: sql`now()` })
    .where(eq(table.id, ids[0] as string));
  expect(await openAs(2n)).toMatchObject(limited(/usage key has 25/));
  expect((await openAs(1n)).approvalId).toBeDefined();
  expect((await openAs(5n)).approvalId).toBeUndefined();
});

test('one that was canceled does not count as open, and its input is gone', async () => {
  const run = { ...input(11n), key: 1n };
  let { approvalId } = await approvals.open(needing(), run);
  for (let i = 1; i < 25; i++) ({ approvalId } = await approvals.open(needing(), run));
  const id = approvalId as string;
  expect((await approvals.open(needing(), run)).approvalId).toBeUndefined();
  expect(await cancelApproval(database.db, hashText(12n), id)).toBeUndefined();
  const ended = await cancelApproval(database.db, hashText(11n), id);
  expect(stateOf(ended as ApprovalRecord)).toBe('expired');
  expect(await inputOf(id)).toBeNull();
  expect((await approvals.open(needing(), run)).approvalId).toBeDefined();
});

test('one that a runner lets expire after more than 30 days is not stored', async () => {
  // The clock of a runner can be a minute ahead.
  const seconds = LONGEST_APPROVAL_SEC + 60;
  expect(await opened(80n, seconds)).toBeTypeOf('string');
  expect(await approvals.open(needing(seconds + 60), input(80n))).toMatchObject({
    error: { name: 'ApprovalLimitError', message: 'expires is more than 2592000 seconds from now' },
  });
  const owner = { account: hashText(80n), key: undefined };
  expect(await listApprovals(database.db, owner, { before: undefined, limit: 10 })).toHaveLength(1);
});

test('a run that had ten approvals gets no further one', async () => {
  const proof = { id: randomUUID(), expires: 1, signatures: [] };
  const many = { ...input(), proofs: Array.from({ length: 10 }, () => proof) };
  expect(await approvals.open(needing(), many)).toMatchObject({ error: { name: 'ApprovalLimitError' } });
});

test('a run whose earlier approvals are long gets no further one', async () => {
  const signature: Hex = `0x${'1'.repeat(8_192)}`;
  const signatures = Array.from({ length: 20 }, () => ({ approver: approver.address, signature }));
  const proof = { id: randomUUID(), expires: 1, signatures };
  const withProofs = (...proofs: (typeof proof)[]) => approvals.open(needing(), { ...input(), proofs });
  expect((await withProofs(proof)).approvalId).toBeDefined();
  expect(await withProofs(proof, proof)).toMatchObject({ error: { name: 'ApprovalLimitError' } });
});

test('reads of approvals load neither the input nor the signatures', async () => {
  const id = await approved(79n);
  const owner = { account: hashText(79n), key: undefined };
  const listed = await listApprovals(database.db, owner, { before: undefined, limit: 10 });
  const found = await approvals.find(id);
  expect(listed).toEqual([found]);
  expect(found).toMatchObject({ signedBy: [approver.address] });
  for (const name of ['input', 'signatures']) expect(found).not.toHaveProperty(name);
});

describe('the sweep', () => {
  test('deletes the input of expired approvals, and approvals that expired long ago', async () => {
    const [open, expired, old] = [await opened(), await opened(), await opened()];
    const setExpiry = (id: string, at: ReturnType<typeof sql>) =>
      database.db.update(table).set({ expiresAt: at }).where(eq(table.id, id));
    await setExpiry(expired, sql`now()`);
    await setExpiry(old, sql`now() - interval '31 days'`);
    await sweep(database.db, 30);
    expect(await inputOf(open)).toBeTypeOf('string');
    expect(await inputOf(expired)).toBeNull();
    expect(await approvals.find(expired)).toBeDefined();
    expect(await approvals.find(old)).toBeUndefined();
  });
});
