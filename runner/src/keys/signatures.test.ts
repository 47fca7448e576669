import { encodeGroupParameters, signingKey } from '@latchkey/threshold';
import { range, splitAll } from '@latchkey/threshold/testing';
import { schnorr } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { createSignatures } from './signatures.ts';
import {
  type Behaviour,
  MESSAGE,
  N,
  PATH,
  RUN,
  signersGroup,
  signing,
  start,
  TO_SIGN,
} from './testing-signers.ts';

const keyAt = (path: bigint) => signingKey(signing.secp256k1, 'bip340', path);

function expectValid({ signature, publicKey }: { signature: Uint8Array; publicKey: Uint8Array }): void {
  expect(publicKey).toEqual(keyAt(PATH).publicKey);
  expect(schnorr.verify(signature, MESSAGE, publicKey)).toBe(true);
}

test('asks for nonces once, and then for a share of each of two nodes', async () => {
  const { sign, purposes, missing, liars } = start({});
  for (let i = 0; i < 3; i++) expectValid(await sign());
  expect(purposes.map(({ kind }) => kind)).toEqual(['nonces', 'sign', 'sign', 'sign']);
  const used = purposes.flatMap((purpose) => (purpose.kind === 'sign' ? purpose.commitments : []));
  expect(used).toHaveLength(6);
  expect(new Set(used.map(({ hiding }) => hiding)).size).toBe(6);
  expect(missing).not.toContain(true);
  expect(liars).toEqual([]);
});

test('uses no commitment twice in concurrent and later signatures, and gets more in time', async () => {
  const { sign, purposes } = start({});
  for (let i = 0; i < 5; i++)
    for (const signed of await Promise.all(range(8).map(() => sign()))) expectValid(signed);
  const used = purposes.flatMap((purpose) => (purpose.kind === 'sign' ? purpose.commitments : []));
  expect(new Set(used.map(({ hiding }) => hiding)).size).toBe(used.length);
});

const wrongShare: Behaviour = {
  sign: (honest) => ({ bytes: honest().map((byte, i) => (i === 9 ? byte ^ 1 : byte)), path: PATH }),
};
test.each<[string, Behaviour]>([
  ['a share that does not hold', wrongShare],
  ['a share that is not a scalar', { sign: () => ({ bytes: new Uint8Array(32).fill(255), path: PATH }) }],
  ['a share for another path', { sign: (_, __, signAt) => ({ bytes: signAt(5n), path: 5n }) }],
  [
    'a share for another path under the right one',
    { sign: (_, __, signAt) => ({ bytes: signAt(5n), path: PATH }) },
  ],
])('names the node that gives %s, and signs by the others', async (_, behaviour) => {
  for (const liar of range(N)) {
    const { sign, liars, purposes } = start({ [liar]: behaviour });
    for (let i = 0; i < 3; i++) expectValid(await sign());
    expect(new Set(liars)).toEqual(new Set(liars.length > 0 ? [liar] : []));
    const last = purposes.at(-1);
    if (liars.length > 0 && last?.kind === 'sign')
      expect(last.commitments.map(({ identifier }) => identifier)).not.toContain(liar);
    // Nodes 1 and 2 are asked first.
    if (liar < N) expect(liars).toEqual([liar]);
  }
});

test.each<[string, Behaviour['sign']]>([
  ['shares that do not hold', () => ({ bytes: new Uint8Array(32).fill(3), path: PATH })],
  ['no shares', () => undefined],
])('signs by the others when a node claims the identifier of another one, and gives %s', async (_, gives) => {
  for (const liar of range(N))
    for (const claims of range(N).filter((other) => other !== liar)) {
      const { sign, missing } = start({ [liar]: { claims, ...(gives && { sign: gives }) } });
      for (let i = 0; i < 3; i++) expectValid(await sign());
      expect(missing).not.toContain(true);
    }
});

test('uses the right share also when its node names another path', async () => {
  const { sign, liars } = start({ 1: { sign: (honest) => ({ bytes: honest(), path: 5n }) } });
  expectValid(await sign());
  expect(liars).toEqual([1]);
});

test.each<[string, Behaviour]>([
  ['nonces', { nonces: () => undefined }],
  ['shares', { sign: () => undefined }],
])('signs by the others when a node gives no %s', async (_, behaviour) => {
  for (const silent of range(N)) {
    const { sign, missing } = start({ [silent]: behaviour });
    for (let i = 0; i < 3; i++) expectValid(await sign());
    expect(missing).not.toContain(true);
  }
});

const json = (change: (issued: { parameters: string[]; commitments: string[][] }) => object): Behaviour => ({
  nonces: (honest) => Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(honest).toString())))),
});
const textsOf = (root: bigint) =>
  splitAll(root, 2, range(N))
    .slice(1)
    .map(({ parameters }) => encodeGroupParameters(parameters));
test.each<[string, Behaviour]>([
  ['parameters of another group', json((issued) => ({ ...issued, parameters: textsOf(6n) }))],
  ['other public shares of the same keys', json((issued) => ({ ...issued, parameters: textsOf(5n) }))],
  ['one of two parameters', json((issued) => ({ ...issued, parameters: issued.parameters.slice(1) }))],
  ['malformed commitments', json((issued) => ({ ...issued, commitments: [['00']] }))],
  ['text', { nonces: () => Buffer.from('text') }],
])('names a node that gives %s instead of nonces', async (_, behaviour) => {
  const { sign, liars } = start({ 1: behaviour });
  expectValid(await sign());
  expect(new Set(liars)).toEqual(new Set([1]));
});

test('signs by others when a commitment is not a point', async () => {
  const zero = json((issued) => ({
    ...issued,
    commitments: issued.commitments.map(() => ['00'.repeat(33), '00'.repeat(33)]),
  }));
  const { sign, liars } = start({ 1: zero });
  expectValid(await sign());
  expect(liars).toEqual([1]);
});

test('rejects as refused when the nodes refuse', async () => {
  const silent = { sign: () => undefined };
  const { sign, missing } = start(
    { 1: silent, 2: silent, 3: silent },
    { isRefused: true, message: 'not permitted' },
  );
  await expect(sign()).rejects.toMatchObject({ isRefused: true, message: 'not permitted' });
  expect(missing).not.toContain(true);
});

test('rejects as unavailable, and says so to the relayer, when too few nodes give nonces', async () => {
  const silent = { nonces: () => undefined };
  const { sign, missing } = start({ 1: silent, 3: silent });
  await expect(sign()).rejects.toMatchObject({ isRefused: false });
  expect(missing).toEqual([true]);
});

test('does not take the keys of a group that it does not know', async () => {
  const { sign, ask, purposes } = start({});
  const liars: number[] = [];
  const other = createSignatures({
    group: signersGroup,
    onWrongAnswer: (node: number) => liars.push(node),
    signing: {
      ...signing,
      secp256k1: signing.secp256k1.replace(/^0[23]/, (first) => (first === '02' ? '03' : '02')),
    },
  });
  expectValid(await sign());
  purposes.length = 0;
  await expect(other(RUN, ask, TO_SIGN)).rejects.toMatchObject({ isRefused: false });
  expect(purposes.map(({ kind }) => kind)).toEqual(['nonces']);
  expect(liars.sort()).toEqual(range(N));
});
