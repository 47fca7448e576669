import type { Head } from '@latchkey/chain/heads';
import { type KeyPurpose, KeyRequestError, NOT_EXPORTABLE } from '@latchkey/key-protocol';
import { markPath } from '@latchkey/protocol';
import { zeroAddress } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Decide } from './decisions.ts';
import { createPermissions } from './permissions.ts';
import { hashOf, viewsOf } from './testing.ts';

const CID = 'QmTestCid';
const wallet: KeyPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: CID,
  wallet: `0x${'12'.repeat(20)}`,
  use: 'inside',
};
const action: KeyPurpose = { kind: 'action', usageKeyHash: '0x1f', cid: CID };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const headAt = (number: bigint): Head => ({ number, hash: hashOf(number), timestampSec: Date.now() / 1_000 });

/** A contract at block 10 with its number of questions, and the announced blocks. */
function start() {
  const state = {
    asked: 0,
    isPermitted: true,
    block: 10n,
    expiration: 0n,
    hasExpiration: true,
    path: 77n,
    head: headAt(10n) as Head | undefined,
    isConfirmed: true,
    timestampSec: Date.now() / 1_000,
  };
  const views = {
    nodeConfigurationValue: () => 'group',
    canUseWalletInAction: () => {
      state.asked += 1;
      return state.isPermitted;
    },
    getWalletDerivation: () => state.path,
    resolve() {
      if (!state.hasExpiration) throw new Error('no account has the key');
      return [1n, zeroAddress, true, true, state.expiration];
    },
    canExecuteAction: () => {
      state.asked += 1;
      return state.isPermitted;
    },
    isPathRegistered: () => {
      state.asked += 1;
      return false;
    },
  };
  const decide: Decide = async (reads) => {
    const { block: number, timestampSec } = state;
    return { block: { number, hash: hashOf(number), timestampSec }, value: await reads(viewsOf(views)) };
  };
  const confirmed = () => (state.isConfirmed ? state.head : undefined);
  return {
    state,
    permissions: createPermissions({
      decide,
      heads: { current: () => state.head, confirmed },
      maxAgeSec: 60,
    }),
  };
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
  state.head = headAt(10n);
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

test('asks again while the endpoint does not confirm its last block, and not when it does again', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 0n);
  state.isConfirmed = false;
  await permissions(wallet, 0n);
  await permissions(wallet, 0n);
  expect(state.asked).toBe(3);
  state.isConfirmed = true;
  await permissions(wallet, 0n);
  expect(state.asked).toBe(3);
});

test('asks again once the usage key has expired', async () => {
  const { state, permissions } = start();
  state.expiration = BigInt(Math.floor(Date.now() / 1_000) + 60);
  const answer = await permissions(wallet, 0n);
  await vi.advanceTimersByTimeAsync(58_000);
  expect(await permissions(wallet, 0n)).toMatchObject(answer);
  expect(state.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  state.isPermitted = false;
  expect((await permissions(wallet, 0n)).evaluation).toBeInstanceOf(KeyRequestError);
});

test('asks again once the block of its answer is too old, although the endpoint confirms it', async () => {
  const { state, permissions } = start();
  await permissions(wallet, 0n);
  await vi.advanceTimersByTimeAsync(59_000);
  await permissions(wallet, 0n);
  expect(state.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await permissions(wallet, 0n);
  expect(state.asked).toBe(2);
});

test.each<[string, KeyPurpose, (state: ReturnType<typeof start>['state']) => void]>([
  ['while no block is announced', wallet, (state) => Object.assign(state, { head: undefined })],
  ['of an endpoint that is behind its announcement', wallet, (state) => Object.assign(state, { block: 9n })],
  ['without an expiration', wallet, (state) => Object.assign(state, { hasExpiration: false })],
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
  state.head = headAt(11n);
  await asked;
  await permissions(wallet, 0n);
  expect(state.asked).toBe(2);
});

test('refuses to export the key of a wallet that is not exportable, and permits its use inside', async () => {
  const { state, permissions } = start();
  state.path = markPath(77n, false);
  expect((await permissions(wallet, 0n)).evaluation).toEqual({ kind: 'wallet', path: state.path });
  const refused = await permissions({ ...wallet, use: 'export' }, 0n);
  expect(refused.evaluation).toMatchObject({ constructor: KeyRequestError, message: NOT_EXPORTABLE });
  state.path = markPath(77n, true);
  const exported = await permissions({ ...wallet, use: 'export' }, 0n);
  expect(exported.evaluation).toEqual({ kind: 'wallet', path: state.path });
});
