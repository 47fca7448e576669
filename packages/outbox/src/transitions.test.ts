import { describe, expect, test } from 'vitest';
import {
  afterBroadcast,
  afterRebroadcast,
  gap,
  isAhead,
  type Nonces,
  pauseAfter,
  price,
  raiseFees,
  usualWait,
  whenDisplaced,
} from './transitions.ts';

describe('afterRebroadcast', () => {
  test('is due immediately when the node did not accept the broadcast', () => {
    expect(afterRebroadcast(afterBroadcast(1_000, 'unknown'), 1_000)).toMatchObject({ sentAtMs: 1_000 });
  });

  test('is due after 2, 4 and then each 8 s', () => {
    let state = afterBroadcast(0, 'accepted');
    for (const [lastMs, afterMs] of [
      [0, 2_000],
      [2_001, 4_000],
      [6_002, 8_000],
      [14_003, 8_000],
    ] as const) {
      expect(afterRebroadcast(state, lastMs + afterMs)).toBeUndefined();
      state = afterRebroadcast(state, lastMs + afterMs + 1) ?? expect.unreachable();
    }
  });
});

describe('price', () => {
  const first = afterBroadcast(0, 'accepted');
  test.each([
    { title: 'not in its first block', head: 7n, pricedIn: undefined, sentAtMs: 31_000, isOverdue: false },
    {
      title: 'not while the chain makes no blocks',
      head: 7n,
      pricedIn: 7n,
      sentAtMs: 31_000,
      isOverdue: false,
    },
    { title: 'not before its age', head: 8n, pricedIn: 7n, sentAtMs: 30_000, isOverdue: false },
    { title: 'after its age in a later block', head: 8n, pricedIn: 7n, sentAtMs: 30_001, isOverdue: true },
  ])('is overdue $title', ({ head, pricedIn, sentAtMs, isOverdue }) => {
    const priced = price({ ...first, sentAtMs, pricedIn }, head, 30_000);
    expect(priced.isOverdue).toBe(isOverdue);
    expect(priced.state).toMatchObject(
      isOverdue
        ? { pricedAtMs: sentAtMs, pricedIn: 8n }
        : { pricedIn: 7n + (pricedIn === 7n ? 0n : head - 7n) },
    );
  });

  test('is overdue again only its age after the last price', () => {
    const repriced = { ...first, pricedAtMs: 20_000, pricedIn: 7n };
    for (const [sentAtMs, isOverdue] of [
      [50_000, false],
      [50_001, true],
    ] as const)
      expect(price({ ...repriced, sentAtMs }, 8n, 30_000).isOverdue).toBe(isOverdue);
  });
});

describe('raiseFees', () => {
  test.each([
    { title: 'by an eighth at the market', old: [800n, 80n], market: [800n, 80n], fees: [901n, 91n] },
    { title: 'to a market far above', old: [800n, 80n], market: [9_000n, 900n], fees: [9_000n, 900n] },
    { title: 'not beyond eight times the market', old: [800n, 80n], market: [100n, 10n], fees: undefined },
    { title: 'with a tip in a market without tips', old: [800n, 80n], market: [900n, 0n], fees: [901n, 91n] },
    {
      title: 'not when only the tip is above the market',
      old: [800n, 80n],
      market: [800n, 0n],
      fees: undefined,
    },
  ])('raises fees $title', ({ old, market, fees }) => {
    const of = ([maxFeePerGas = 0n, maxPriorityFeePerGas = 0n]: bigint[]) => ({
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    expect(raiseFees(of(old), of(market))).toEqual(fees && of(fees));
  });
});

describe('pauseAfter', () => {
  const growth = (count: number, pushed?: { usualLogMs: number }) =>
    Array.from({ length: count }).reduce<number[]>(
      (waits) => [...waits, pauseAfter(waits.at(-1) ?? 0, 0, pushed)],
      [],
    );

  test('grows from 4 to 250 ms while logs are polled', () => {
    expect(growth(3)).toEqual([4, 6, 9]);
    expect(growth(20).at(-1)).toBe(250);
  });

  test('grows from the usual wait for a log to 2 s while logs are pushed', () => {
    expect(growth(2, { usualLogMs: 20 })).toEqual([80, 120]);
    expect(growth(1, { usualLogMs: 1_000 })).toEqual([250]);
    expect(growth(20, { usualLogMs: 20 }).at(-1)).toBe(2_000);
  });

  test.each([
    { lookMs: 2, pauseMs: 375 },
    { lookMs: 200, pauseMs: 600 },
    { lookMs: 10_000, pauseMs: 4_000 },
  ])('is $pauseMs ms after a look of $lookMs ms', ({ lookMs, pauseMs }) => {
    expect(pauseAfter(250, lookMs, { usualLogMs: 20 })).toBe(pauseMs);
  });

  test('knows the usual wait as a moving average', () => {
    expect([usualWait(), usualWait(100, 20)]).toEqual([250, 80]);
  });
});

describe('nonces', () => {
  const at = (stored: number, inChain: number, firstOpen?: number): Nonces => ({
    stored,
    inChain,
    firstOpen,
  });

  test.each([
    { before: undefined, now: at(7, 5), ahead: false },
    { before: at(7, 5), now: at(7, 5), ahead: true },
    { before: at(7, 4), now: at(7, 5), ahead: false },
    { before: at(6, 5), now: at(7, 5), ahead: false },
    { before: at(7, 7), now: at(7, 7), ahead: false },
  ])('$now after $before are ahead of the chain: $ahead', ({ before, now, ahead }) => {
    expect(isAhead(before, now)).toBe(ahead);
  });

  test.each([
    { before: undefined, now: at(9, 5, 7), missing: 0 },
    { before: at(9, 5, 7), now: at(9, 5, 7), missing: 2 },
    { before: at(8, 5, 7), now: at(9, 5, 7), missing: 2 },
    { before: at(9, 4, 7), now: at(9, 5, 7), missing: 0 },
    { before: at(9, 5, 8), now: at(9, 5, 7), missing: 0 },
    { before: at(9, 5, 5), now: at(9, 5, 5), missing: 0 },
    { before: at(9, 5), now: at(9, 5), missing: 0 },
  ])('$now after $before have a gap of $missing', ({ before, now, missing }) => {
    expect(gap(before, now)).toBe(missing);
  });
});

describe('a transaction whose nonce another one has used', () => {
  const pending = { status: 'pending', droppedAt: null, cancelRequestedAt: null, data: '0x1234' } as const;
  const [droppedAt, cancelRequestedAt] = [new Date(), new Date()];
  const ofPayer = { confirmations: 3, isHeld: true, canRenumber: true };
  const ofWallet = { ...ofPayer, canRenumber: false };
  test.each([
    ['of a payer, which a node can have', pending, ofPayer, 64n, 'renumbered'],
    ['of a payer, which no node has', pending, { ...ofPayer, isHeld: false }, 2n, 'renumbered'],
    ['that was cancelled', { ...pending, cancelRequestedAt }, ofPayer, 64n, 'replaced'],
    ['of a refill', { ...pending, data: '0x' }, ofPayer, 64n, 'replaced'],
    ['that a reorg dropped', { ...pending, droppedAt }, { ...ofPayer, isHeld: false }, 64n, 'renumbered'],
    [
      'that was cancelled after a reorg',
      { ...pending, droppedAt, cancelRequestedAt },
      ofPayer,
      64n,
      'renumbered',
    ],
    ['that has succeeded', { ...pending, status: 'mined' }, ofPayer, 64n, 'renumbered'],
    ['of a wallet, which a node can have', pending, ofWallet, 64n, 'replaced'],
    ['of a wallet, which nodes have refused', pending, { ...ofWallet, isHeld: false }, 64n, 'replaced'],
    ['of a wallet, that a reorg dropped', { ...pending, droppedAt }, ofWallet, 64n, 'replaced'],
  ] as const)('%s', (_which, transaction, by, depth, becomes) => {
    expect(whenDisplaced(transaction, by)).toEqual({ depth, becomes });
  });
});
