/** Nodes with several endpoints, one of which lies about the code of the contract. */
import { tmpdir } from 'node:os';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { pino } from 'pino';
import { type Hex, numberToHex } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { BehindError } from '../blocks.ts';
import { readAgreed } from './pinned-decisions.ts';
import type { Pins, PinsReader } from './read-pins.ts';
import { readPinned, watchPins } from './watch-pins.ts';

const HONEST: Omit<Pins, 'block'> = {
  diamond: '0xd1',
  owner: { address: '0x0a', codeHash: '0x00' },
  facets: [{ address: '0x0f', codeHash: '0x0f', selectors: ['0x7a0ed627'] }],
};
const OTHER: Omit<Pins, 'block'> = {
  ...HONEST,
  facets: [{ address: '0x0f', codeHash: '0xee', selectors: ['0x7a0ed627'] }],
};

/** The answers of an endpoint about every block. */
type Says = { code: Omit<Pins, 'block'>; cuts: bigint[]; isSilent?: boolean };

const readerOf = (says: Says): PinsReader => {
  const answer = async <T>(value: T): Promise<T> => {
    if (says.isSilent) throw new Error('no answer');
    return structuredClone(value);
  };
  return {
    read: ({ number }) => answer({ ...says.code, block: Number(number) }),
    changes: (from, to) => answer(says.cuts.filter((block) => block >= from && block <= to)),
    delaySec: () => answer(undefined),
  };
};

/** A node on the local chain at block 100, with these endpoints. */
function startWith(endpoints: Says[]) {
  const directory = temporaryDirectory(tmpdir());
  onTestFinished(() => directory[Symbol.dispose]());
  const options = { directory: directory.path, chainId: 31_337, minDelaySec: 0 };
  const reader = readAgreed(endpoints.map(readerOf));
  const { faultAt } = watchPins({ ...options, reader, log: pino({ level: 'silent' }) });
  let number = 100;
  return {
    atNextBlock() {
      number += 1;
      return faultAt({ number: BigInt(number), hash: numberToHex(number) as Hex });
    },
    pinned: () => readPinned(directory.path),
  };
}

const truth = (): Says => ({ code: HONEST, cuts: [] });
const lies: [string, (liar: Says) => void][] = [
  ['has other code', (liar) => (liar.code = OTHER)],
  ['had a cut', (liar) => (liar.cuts = [102n])],
  ['has other code and had a cut', (liar) => Object.assign(liar, { code: OTHER, cuts: [102n] })],
  ['does not answer', (liar) => (liar.isSilent = true)],
];

test.each([0, 1, 2])('pins what two of three endpoints say when number %i lies from the start', async (i) => {
  const endpoints = [truth(), truth(), truth()];
  endpoints[i] = { code: OTHER, cuts: [] };
  const { atNextBlock, pinned } = startWith(endpoints);
  expect(await atNextBlock()).toBeUndefined();
  expect(await pinned()).toMatchObject(HONEST);
});

test('pins nothing while one of two endpoints lies', async () => {
  const liar: Says = { code: OTHER, cuts: [] };
  const { atNextBlock, pinned } = startWith([truth(), liar]);
  await expect(atNextBlock()).rejects.toThrow(BehindError);
  expect(await pinned()).toBeUndefined();
  liar.code = HONEST;
  expect(await atNextBlock()).toBeUndefined();
  expect(await pinned()).toMatchObject(HONEST);
});

test.each(lies)('goes on when one of three endpoints says that the contract %s', async (_, lie) => {
  for (const i of [0, 1, 2]) {
    const endpoints = [truth(), truth(), truth()];
    const { atNextBlock, pinned } = startWith(endpoints);
    await atNextBlock();
    lie(endpoints[i] as Says);
    expect(await atNextBlock()).toBeUndefined();
    expect(await atNextBlock()).toBeUndefined();
    expect(await pinned()).toMatchObject({ ...HONEST, block: 101 });
  }
});

test.each<[string, Partial<Says>]>([
  ['other code', { code: OTHER }],
  ['a cut that left the routes as they were', { cuts: [102n] }],
])('stops at %s that one of three endpoints hides', async (_, change) => {
  for (const i of [0, 1, 2]) {
    const endpoints = [truth(), truth(), truth()];
    const { atNextBlock } = startWith(endpoints);
    await atNextBlock();
    for (const [other, endpoint] of endpoints.entries()) if (other !== i) Object.assign(endpoint, change);
    expect(await atNextBlock()).toContain('the code of the contract changed');
  }
});

test.each(lies)('decides nothing while one of two endpoints says that the contract %s', async (_, lie) => {
  const liar = truth();
  const { atNextBlock } = startWith([liar, truth()]);
  await atNextBlock();
  lie(liar);
  await expect(atNextBlock()).rejects.toThrow();
  Object.assign(liar, truth(), { isSilent: false });
  expect(await atNextBlock()).toBeUndefined();
});
