import { generatePrivateKey } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import type { Outcome } from './follow.ts';
import type { OutboxTransaction } from './outbox.ts';
import { createPayerPool, type Payer } from './payer-pool.ts';
import { createSettlements } from './settlements.ts';

const pool = createPayerPool([generatePrivateKey()], 10, {
  outbox: { add: async () => [] },
  broadcast: async () => [],
});
const [payer] = pool.payers as [Payer];
const transaction: OutboxTransaction = {
  id: 'one',
  payer: payer.address,
  nonce: 0,
  data: '0x',
  gas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  raw: '0x',
  hashes: [],
  status: 'pending',
  minedHash: null,
  blockNumber: null,
  account: 1n,
};

/** Settlements whose `follow` calls are ended by the test. */
function openSettlements() {
  const followed = Promise.withResolvers<Outcome>();
  const follow = vi.fn(() => followed.promise);
  return { ...createSettlements({ find: pool.find, follow }), follow, followed };
}

describe('settle', () => {
  test('follows a transaction once, however often it is called', async () => {
    const { settle, has, follow, followed } = openSettlements();
    const both = [settle(transaction, true), settle(transaction, false)];
    expect(has('one')).toBe(true);
    expect(payer.pending).toBe(1);
    followed.resolve({ status: 'replaced' });
    expect(await Promise.all(both)).toEqual([{ status: 'replaced' }, { status: 'replaced' }]);
    expect(follow.mock.calls).toEqual([[transaction, true]]);
    expect([has('one'), payer.pending]).toEqual([false, 0]);
  });

  test('follows a transaction again after a failure', async () => {
    const { settle, follow, followed } = openSettlements();
    const failed = settle(transaction, true);
    followed.reject(new Error('the relayer is stopping'));
    await expect(failed).rejects.toThrow('the relayer is stopping');
    await expect(settle(transaction, true)).rejects.toThrow('the relayer is stopping');
    expect(follow).toHaveBeenCalledTimes(2);
  });

  test('follows the transaction of a payer that this process does not have', async () => {
    const { settle, followed } = openSettlements();
    const settled = settle({ ...transaction, payer: `0x${'01'.repeat(20)}` }, false);
    expect(payer.pending).toBe(0);
    followed.resolve({ status: 'replaced' });
    expect(await settled).toEqual({ status: 'replaced' });
  });
});

test('ended waits for all followed transactions, including failures', async () => {
  const { settle, ended, followed } = openSettlements();
  void settle(transaction, true);
  const isOver = vi.fn();
  const waiting = ended().then(isOver);
  await new Promise(setImmediate);
  expect(isOver).not.toHaveBeenCalled();
  followed.reject(new Error('the relayer is stopping'));
  await waiting;
  expect(isOver).toHaveBeenCalled();
});
