import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TIMELOCK_CODE_HASHES } from '@latchkey/protocol';
import { pino } from 'pino';
import { type Hex, numberToHex } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { changeDecisions } from '../operator-decisions.ts';
import type { Pins, PinsReader } from './read-pins.ts';
import { type WatchedPinsOptions, watchPins } from './watch-pins.ts';

const DAY_SEC = 86_400;
const [TIMELOCK] = TIMELOCK_CODE_HASHES;
const code = (byte: string): { address: Hex; codeHash: Hex } => ({
  address: `0x${byte.repeat(20)}`,
  codeHash: `0x${byte.repeat(32)}`,
});

/** A chain at block 100 whose owner is a timelock of a day. */
async function start(chainId = 8_453) {
  const directory = await mkdtemp(join(tmpdir(), 'pins-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const state = {
    number: 100,
    asked: [] as [bigint, bigint][],
    cuts: [] as bigint[],
    delaySec: BigInt(DAY_SEC) as bigint | undefined,
    pins: {
      block: 0,
      diamond: '0xd1' as Hex,
      owner: { ...code('0a'), codeHash: TIMELOCK as Hex },
      facets: [{ ...code('0f'), selectors: ['0x7a0ed627'] as Hex[] }],
    } satisfies Pins,
  };
  const reader: PinsReader = {
    read: async ({ number }) => structuredClone({ ...state.pins, block: Number(number) }),
    async changes(from, to) {
      state.asked.push([from, to]);
      return state.cuts.filter((block) => block >= from && block <= to);
    },
    delaySec: async () => state.delaySec,
  };
  const options: WatchedPinsOptions = {
    reader,
    directory,
    chainId,
    minDelaySec: DAY_SEC,
    log: pino({ level: 'silent' }),
  };
  let watched = watchPins(options);
  const fault = () => watched.faultAt({ number: BigInt(state.number), hash: numberToHex(state.number) });
  const atNextBlock = () => {
    state.number += 1;
    return fault();
  };
  const restart = () => {
    watched = watchPins(options);
  };
  const acknowledge = () =>
    changeDecisions(directory, (before) => ({
      ...before,
      acknowledged: { ...state.pins, block: state.number },
    }));
  return { state, fault, atNextBlock, restart, acknowledge, watched: () => watched };
}

test('asks the chain once per block', async () => {
  const { state, fault, atNextBlock } = await start();
  expect(await fault()).toBeUndefined();
  expect(await atNextBlock()).toBeUndefined();
  expect(await Promise.all([fault(), fault()])).toEqual([undefined, undefined]);
  expect(state.asked).toHaveLength(1);
});

test.each<[string, (state: Awaited<ReturnType<typeof start>>['state']) => void, string]>([
  ['the code of the diamond', (state) => (state.pins.diamond = '0xd2'), 'code of the diamond: 0xd1 → 0xd2'],
  [
    'the code of a facet',
    (state) => (state.pins.facets[0] = { ...code('0f'), codeHash: '0xee', selectors: ['0x7a0ed627'] }),
    'facets() 0x7a0ed627',
  ],
  [
    'a route',
    (state) => (state.pins.facets[0] = { ...code('0e'), selectors: ['0x7a0ed627'] }),
    `→ 0x${'0e'.repeat(20)}`,
  ],
  [
    'a new route',
    (state) => state.pins.facets[0]?.selectors.push('0x12345678'),
    'unknown function 0x12345678: none →',
  ],
  ['the owner', (state) => (state.pins.owner = { ...code('0b'), codeHash: TIMELOCK }), 'owner: 0x0a0a'],
  [
    'a cut that was undone',
    (state) => state.cuts.push(101n),
    'in block 101 that left the routes as they were',
  ],
])(
  'a change of %s stops the node, also after a restart, until it is acknowledged',
  async (_, change, expected) => {
    const { state, fault, atNextBlock, restart, acknowledge, watched } = await start();
    await fault();
    change(state);
    expect(await atNextBlock()).toContain(expected);
    restart();
    expect(await atNextBlock()).toContain(expected);
    expect(watched().hasFault()).toBe(true);
    await acknowledge();
    expect(await fault()).toBeUndefined();
    expect(watched().hasFault()).toBe(false);
    restart();
    expect(await atNextBlock()).toBeUndefined();
  },
);

test('an acknowledgement covers neither a later cut nor other code', async () => {
  const { state, fault, atNextBlock, acknowledge } = await start();
  await fault();
  state.cuts.push(101n);
  await atNextBlock();
  await acknowledge();
  state.cuts.push(102n);
  expect(await atNextBlock()).toContain('block 101, 102');
  await acknowledge();
  expect(await fault()).toBeUndefined();
  await acknowledge();
  state.pins.diamond = '0xd2';
  expect(await atNextBlock()).toContain('0xd1 → 0xd2');
});

test('an acknowledgement from before the pins does not bring old code back', async () => {
  const { state, fault, atNextBlock, acknowledge } = await start();
  state.pins.diamond = '0xd0';
  state.number = 90;
  await acknowledge();
  state.number = 100;
  state.pins.diamond = '0xd1';
  await fault();
  state.pins.diamond = '0xd0';
  expect(await atNextBlock()).toContain('0xd1 → 0xd0');
});

test('finds a cut that a reorganisation put into a block that was searched before', async () => {
  const { state, fault, atNextBlock } = await start();
  await fault();
  state.number = 200;
  expect(await fault()).toBeUndefined();
  state.cuts.push(150n);
  expect(await atNextBlock()).toContain('block 150');
});

test('a node that was down searches all blocks since then', async () => {
  const { state, fault, atNextBlock, restart } = await start();
  await fault();
  state.number = 50_000;
  await atNextBlock();
  restart();
  state.number = 60_000;
  await atNextBlock();
  expect(state.asked).toEqual([
    [101n, 50_001n],
    [49_938n, 60_001n],
  ]);
});

test('rejects while the chain does not answer, and asks again', async () => {
  const { state, fault, atNextBlock } = await start();
  await fault();
  const { pins } = state;
  Object.defineProperty(state, 'pins', {
    configurable: true,
    get: () => {
      throw new Error('no answer');
    },
  });
  await expect(atNextBlock()).rejects.toThrow('no answer');
  Object.defineProperty(state, 'pins', { value: pins });
  expect(await fault()).toBeUndefined();
});

test.each<[string, (state: Awaited<ReturnType<typeof start>>['state']) => void, string]>([
  ['an account', (state) => (state.pins.owner.codeHash = '0x00'), 'is not a Timelock of this repository'],
  [
    'a contract that only says that it has a delay',
    (state) => (state.pins.owner.codeHash = '0xee'),
    'is not a Timelock',
  ],
  ['a timelock with a shorter delay', (state) => (state.delaySec = 3_600n), 'is a timelock of 3600 seconds'],
])(
  'outside the local chain, a node pins and decides nothing while the owner is %s',
  async (_, change, expected) => {
    const { state, fault, atNextBlock } = await start();
    const { pins, delaySec } = structuredClone(state);
    change(state);
    expect(await fault()).toContain(expected);
    Object.assign(state, { pins, delaySec });
    expect(await fault()).toBeUndefined();
    state.delaySec = 60n;
    expect(await atNextBlock()).toContain('is a timelock of 60 seconds');
  },
);

test('on the local chain the owner can be an account', async () => {
  const { state, fault } = await start(31_337);
  state.pins.owner.codeHash = '0x00';
  expect(await fault()).toBeUndefined();
});
