import { type KeyPurpose, KeyRequestError } from '@latchkey/key-protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Head } from './heads.ts';
import { createPermissions } from './permissions.ts';
import { contractOf } from './testing.ts';

const CID = 'QmTestCid';
const wallet: KeyPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: CID,
  wallet: `0x${'12'.repeat(20)}`,
};
const action: KeyPurpose = { kind: 'action', usageKeyHash: '0x1f', cid: CID, ofCid: CID };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A contract at block 10 with its number of questions, and the announced blocks. */
function start() {
  const state = { asked: 0, isPermitted: true, block: 10n, head: { number: 10n } as Head | undefined };
  const views = {
    nodeConfigurationValue: () => 'group',
    canUseWalletInAction: () => {
      state.asked += 1;
      return state.isPermitted;
    },
    getWalletDerivation: () => 77n,
    canExecuteAction: () => {
      state.asked += 1;
      return state.isPermitted;
    },
    isPathRegistered: () => {
      state.asked += 1;
      return false;
    },
  };
  const contract = { ...contractOf(views), blockNumber: async () => state.block };
  return { state, permissions: createPermissions({ contract, head: () => state.head }) };
}

test('asks once per block for the same key of a run', async () => {
  const { state, permissions } = start();
  const first = await permissions(wallet, 10n);
  expect(first).toMatchObject({ block: 10n, published: 'group', evaluation: { kind: 'wallet', path: 77n } });
  expect(await permissions({ ...wallet }, 9n)).toMatchObject({ block: 10n, evaluation: first.evaluation });
  expect(state.asked).toBe(1);
  await permissions({ ...wallet, usageKeyHash: '0x20' }, 0n);
  await permissions(action, 0n);
  await permissions(action, 0n);
  expect(state.asked).toBe(3);
});

test('asks again after the next block, also one of the same number', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 0n);
  state.isPermitted = false;
  state.head = { number: 10n };
  expect((await permissions(wallet, 0n)).evaluation).toBeInstanceOf(KeyRequestError);
  expect(state.asked).toBe(2);
});

test('asks again for a request that needs a later block', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 10n);
  state.block = 11n;
  expect(await permissions(wallet, 11n)).toMatchObject({ block: 11n });
  expect(state.asked).toBe(2);
});

test('renews an answer that is in use, so that no request waits', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 0n);
  for (let i = 0; i < 10; i++) {
    await vi.advanceTimersByTimeAsync(400);
    const asked = state.asked;
    // The answer is there before a question to the chain could be answered.
    const answer = permissions(wallet, 0n);
    expect(await Promise.race([answer, Promise.resolve().then(() => 'late')])).toMatchObject({ block: 10n });
    await vi.advanceTimersByTimeAsync(1);
    expect(state.asked - asked).toBeLessThanOrEqual(1);
  }
  state.isPermitted = false;
  await vi.advanceTimersByTimeAsync(600);
  await permissions(wallet, 0n);
  await vi.advanceTimersByTimeAsync(1);
  expect((await permissions(wallet, 0n)).evaluation).toBeInstanceOf(KeyRequestError);
});

test('asks again a second later', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 0n);
  await vi.advanceTimersByTimeAsync(499);
  await permissions(wallet, 0n);
  expect(state.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(502);
  await permissions(wallet, 0n);
  expect(state.asked).toBe(2);
});

test.each<[string, KeyPurpose, (state: ReturnType<typeof start>['state']) => void]>([
  ['while no block is announced', wallet, (state) => Object.assign(state, { head: undefined })],
  ['of an endpoint that is behind its announcement', wallet, (state) => Object.assign(state, { block: 9n })],
  ['that refuses', wallet, (state) => Object.assign(state, { isPermitted: false })],
  ['for a new wallet', { kind: 'mint-wallet', path: '0x5' }, () => {}],
  ['for a new usage key', { kind: 'mint-usage-key', path: '0x5' }, () => {}],
])('keeps no answer %s', async (_, purpose, change) => {
  const { state, permissions } = start();
  change(state);
  await permissions(purpose, 0n);
  await permissions(purpose, 0n);
  expect(state.asked).toBe(2);
});

test('keeps no answer for a block that was announced while it was asked for', async () => {
  const { state, permissions } = start();
  const asked = permissions(wallet, 0n);
  state.head = { number: 11n };
  await asked;
  await permissions(wallet, 0n);
  expect(state.asked).toBe(2);
});
