import { ChainUnavailableError } from '@latchkey/chain/errors';
import { createLogger } from '@latchkey/service/logger';
import { type Address, keccak256 } from 'viem';
import { expect, test, vi } from 'vitest';
import type { PayerLane } from './lanes.ts';
import { createRenumber } from './renumber.ts';
import type { Signed, StoredTransaction, Unsigned } from './store.ts';

const PAYER: Address = `0x${'aa'.repeat(20)}`;
const OTHER: Address = `0x${'bb'.repeat(20)}`;
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n };
const known = {
  id: 'one',
  payer: PAYER,
  nonce: 3,
  data: '0x1234',
  gas: 500n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  raw: '0x01',
} as unknown as StoredTransaction;

/** Lanes of PAYER and OTHER, a store, and what it was asked to do. */
function open({ hasNonce = true, isRenumbered = true, isOwnUsed = true, isOtherUsed = true } = {}) {
  const laneOf = (address: Address, isApiPayer: boolean) =>
    ({ signer: { address }, isApiPayer, restsUntilMs: 0, pending: 0, sending: 0 }) as unknown as PayerLane;
  const now = { ...known, nonce: 99 };
  const store = {
    nextNonce: vi.fn(async (_payer: Address) => (hasNonce ? 8 : undefined)),
    renumber: vi.fn(async (_known: StoredTransaction, _next: Unsigned & Signed) => isRenumbered),
    get: vi.fn(async (_id: string): Promise<StoredTransaction | undefined> => now),
  };
  const sign = vi.fn(async () => ({ raw: '0x02' as const, hash: keccak256('0x02') }));
  const renumber = createRenumber({
    store,
    lanes: [laneOf(OTHER, isOtherUsed), laneOf(PAYER, isOwnUsed)],
    maxPending: 5,
    market: { fees: async () => fees },
    sign,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  return { store, sign, renumber, now };
}

test('signs the call again with the next nonce of its payer, at the fees of the market', async () => {
  const { store, sign, renumber, now } = open();
  expect(await renumber(known)).toBe(now);
  const next = { payer: PAYER, nonce: 8, data: '0x1234', gas: 500n, ...fees };
  expect(sign.mock.calls).toEqual([[{ ...next, raw: '0x01' }]]);
  expect(store.renumber.mock.calls).toEqual([[known, { ...next, raw: '0x02', hash: keccak256('0x02') }]]);
});

test('takes another payer when its own is no longer used, and none when no payer is', async () => {
  const { store, renumber } = open({ isOwnUsed: false });
  await renumber(known);
  expect(store.renumber.mock.calls[0]?.[1]).toMatchObject({ payer: OTHER, nonce: 8 });
  const none = open({ isOwnUsed: false, isOtherUsed: false });
  await expect(none.renumber(known)).rejects.toThrow(ChainUnavailableError);
  expect(none.sign).not.toHaveBeenCalled();
});

test('leaves it to another process that was faster, and returns what that one stored', async () => {
  const { renumber, now } = open({ isRenumbered: false });
  expect(await renumber(known)).toBe(now);
});

test('leaves the transaction of a payer without a nonce, and one that is no longer stored', async () => {
  const { store, sign, renumber } = open({ hasNonce: false });
  expect(await renumber(known)).toBe(known);
  expect(sign).not.toHaveBeenCalled();
  const gone = open();
  gone.store.get.mockResolvedValue(undefined);
  expect(await gone.renumber(known)).toBe(known);
  expect(store.renumber).not.toHaveBeenCalled();
});
