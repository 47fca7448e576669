/** Events that the database stores in the transaction of their change. */
import { randomUUID } from 'node:crypto';
import { createWalletStore } from '@latchkey/outbox';
import { noUsage } from '@latchkey/runner-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import type { Hex, TransactionReceipt } from 'viem';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { fillWalletTransactions, keyOf } from '../../test/filled.ts';
import { addTestEndpoint, messagesTo } from '../../test/webhooks.ts';
import { endReserves, move, reserve } from '../billing/ledger.ts';
import { endRun, openRun, type RunEnd } from '../billing/run-rows.ts';
import { walletTransactions } from '../db/schema.ts';
import { hashText } from '../db/text.ts';

let last = 0x100n;
const database = disposeAfterAll(await openTestDatabase());
const db = database.db;

const CENT = 10_000n;
const pay = (account: bigint, cents: bigint) =>
  move(db, account, 'credit', cents * CENT, { externalId: randomUUID(), reason: 'test' });
async function newAccount(cents = 100n) {
  const hash = ++last;
  await pay(hash, cents);
  return { hash, account: hashText(hash) };
}

describe('run.finished', () => {
  const begin = async (account: bigint) => {
    const id = randomUUID();
    await openRun(db, { id, account, key: 5n, cid: 'Qm', idempotencyId: undefined });
    return id;
  };
  const NOTHING: RunEnd = { seconds: 0, outcome: null, output: null, report: null };
  const ended = (errorName: string | null): RunEnd => ({
    ...NOTHING,
    seconds: 1,
    report: { durationMs: 12, errorName, usage: noUsage, receipt: undefined },
  });

  test.each([
    ['success', ended(null), { error_name: null, duration_ms: 12, charged_micros: 10_000 }],
    ['failed', ended('TypeError'), { error_name: 'TypeError', duration_ms: 12, charged_micros: 10_000 }],
    [
      'waiting_for_approval',
      ended('ApprovalRequiredError'),
      { error_name: 'ApprovalRequiredError', duration_ms: 12, charged_micros: 10_000 },
    ],
    ['released', NOTHING, { error_name: null, duration_ms: null, charged_micros: 0 }],
  ])('is stored once when a run ends as %s, without its output', async (status, end, fields) => {
    const { hash, account } = await newAccount();
    await addTestEndpoint(db, account);
    const id = await begin(hash);
    expect(await messagesTo(db, account)).toEqual([]);
    await Promise.all([1, 2, 3].map(() => endRun(db, id, { ...end, output: 'sealed output' })));
    expect((await messagesTo(db, account)).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'run.finished',
        data: { run_id: id, cid: 'Qm', usage_key_hash: hashText(5n), status, ...fields },
      },
    ]);
  });

  test('is stored for each endpoint that wants it, of this account alone', async () => {
    const [own, other] = [await newAccount(), await newAccount()];
    await addTestEndpoint(db, own.account);
    await addTestEndpoint(db, own.account, { types: ['run.finished'] });
    await addTestEndpoint(db, own.account, { types: ['credit.low'], creditLowMicros: 1n });
    await addTestEndpoint(db, own.account, { isEnabled: false });
    await addTestEndpoint(db, other.account);
    await endRun(db, await begin(own.hash), ended(null));
    expect(await messagesTo(db, own.account)).toHaveLength(2);
    expect(await messagesTo(db, other.account)).toEqual([]);
  });

  test('is not stored when the end of the run is rolled back', async () => {
    const { hash, account } = await newAccount();
    await addTestEndpoint(db, account);
    const id = await begin(hash);
    const crash = db.transaction(async (tx) => {
      await endRun(tx, id, ended(null));
      throw new Error('crash');
    });
    await expect(crash).rejects.toThrow('crash');
    expect(await messagesTo(db, account)).toEqual([]);
    await endRun(db, id, ended(null));
    expect(await messagesTo(db, account)).toHaveLength(1);
  });
});

describe('credit.low', () => {
  const spend = async (account: bigint, cents: bigint, ending: 'capture' | 'release' = 'capture') => {
    const spending = { account, key: 5n, amountMicros: cents * CENT, reason: 'test' };
    await endReserves(db, ending, account, [await reserve(db, spending)]);
  };
  const told = async (account: string) =>
    (await messagesTo(db, account, 'credit.low')).map(({ data }) => data);
  const listen = async (cents: bigint) => {
    const { hash, account } = await newAccount();
    await addTestEndpoint(db, account, { creditLowMicros: cents * CENT });
    return { hash, account };
  };

  test('is stored once per crossing of the threshold', async () => {
    const { hash, account } = await listen(50n);
    await spend(hash, 50n);
    expect(await told(account)).toEqual([]);
    await spend(hash, 1n);
    const crossed = { credit_micros: 490_000, credit_low_micros: 500_000 };
    expect(await told(account)).toEqual([crossed]);
    await spend(hash, 10n);
    expect(await told(account)).toHaveLength(1);
    await pay(hash, 11n);
    await spend(hash, 1n);
    expect(await told(account)).toEqual([crossed, crossed]);
  });

  test('is not stored for credit that was only reserved', async () => {
    const { hash, account } = await listen(50n);
    for (let i = 0; i < 3; i++) await spend(hash, 60n, 'release');
    expect(await told(account)).toEqual([]);
  });

  test('is stored for a refund', async () => {
    const { hash, account } = await listen(50n);
    await move(db, hash, 'reverse', 60n * CENT, { externalId: randomUUID(), reason: 'refund' });
    expect(await told(account)).toHaveLength(1);
  });

  test('is stored once under concurrency', async () => {
    const { hash, account } = await listen(50n);
    await Promise.all(Array.from({ length: 90 }, () => spend(hash, 1n)));
    expect(await told(account)).toEqual([{ credit_micros: 490_000, credit_low_micros: 500_000 }]);
  });

  test('follows the threshold of each endpoint', async () => {
    const { hash, account } = await listen(50n);
    await addTestEndpoint(db, account, { creditLowMicros: 20n * CENT });
    await addTestEndpoint(db, account, { creditLowMicros: 20n * CENT, types: ['run.finished'] });
    await spend(hash, 90n);
    expect(await told(account)).toHaveLength(2);
  });
});

describe('transaction.…', () => {
  const store = () => createWalletStore(db, 31_337, { maxPendingPerWallet: 32, maxPendingPerAccount: 128 });
  const block = { blockNumber: 7n, blockHash: '0xb7' as Hex };
  const receipt = { ...block, transactionHash: '0xa1' as Hex } as TransactionReceipt;
  /** Stores a transaction that no node has yet, of an account that listens. */
  async function stored() {
    const { account } = await newAccount();
    await addTestEndpoint(db, account);
    await fillWalletTransactions(db, { account, count: 1, failedEvery: 1 });
    const [row] = await db
      .update(walletTransactions)
      .set({ broadcastAt: null, cancelHash: '0xca' })
      .where(eq(walletTransactions.account, account))
      .returning();
    if (!row) throw new Error('no transaction');
    const told = async () =>
      (await messagesTo(db, account)).map(({ type, data }) => [
        type.replace('transaction.', ''),
        (data as { reason: unknown }).reason,
      ]);
    return { account, row, id: row.id, told };
  }

  test('queues each state, and each that a reorg undid, once', async () => {
    const { account, row, id, told } = await stored();
    const { noteBroadcast, mark, settle, reopen } = store();
    expect(await told()).toEqual([]);
    await noteBroadcast([id]);
    await noteBroadcast([id]);
    await mark(id, receipt);
    await mark(id, { ...receipt, blockNumber: 8n });
    await mark(id, undefined);
    await mark(id, receipt);
    await settle(id, { status: 'mined', minedHash: '0xa1', ...block });
    await settle(id, { status: 'mined', minedHash: '0xa1', ...block });
    await reopen({ number: 7n, hash: '0xb7' });
    await settle(id, { status: 'reverted', minedHash: '0xa1', ...block, reason: 'no' });
    expect(await told()).toEqual([
      ['broadcast', null],
      ['mined', null],
      ['broadcast', null],
      ['mined', null],
      ['confirmed', null],
      ['broadcast', null],
      ['failed', 'no'],
    ]);
    const [, , , , confirmed] = await messagesTo(db, account);
    expect(confirmed?.data).toEqual({
      id,
      wallet: row.payer,
      chain_id: 31_337,
      nonce: 1,
      hash: '0xa1',
      block_number: 7,
      reason: null,
      run_id: 'run',
      cid: 'cid',
      usage_key_hash: keyOf(account, 1),
    });
  });

  test.each([
    ['its cancellation', '0xca', 'cancelled'],
    ['a transaction from outside', undefined, 'another transaction used the nonce'],
  ] as const)('replaced names %s', async (_what, minedHash, reason) => {
    const { id, told } = await stored();
    await store().settle(id, { status: 'replaced', ...(minedHash && { minedHash, ...block }) });
    expect(await told()).toEqual([['replaced', reason]]);
  });

  test('is not stored when the change is rolled back', async () => {
    const { id, told } = await stored();
    const crash = db.transaction(async (tx) => {
      await tx.execute(sql`select settle_wallet_transaction(${id}, 'mined', '0xa1', 7, '0xb7', null)`);
      throw new Error('crash');
    });
    await expect(crash).rejects.toThrow('crash');
    expect(await told()).toEqual([]);
  });
});
