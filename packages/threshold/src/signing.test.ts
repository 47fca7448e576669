import { createPublicKey, verify } from 'node:crypto';
import {
  aggregate,
  type Commitment,
  createNonces,
  type FaultError,
  type KeyType,
  keyTypes,
  type Nonces,
  type SigningKey,
  signingKey,
  signShare,
  suiteOf,
} from '@latchkey/threshold';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { type Group, range, split } from '../test/dealings.ts';
import { groups } from './group.ts';

const MESSAGE = new TextEncoder().encode('a message');
const ROOT = 0x1234567890abcdefn;
const groupFor = (keyType: KeyType, threshold = 2, n = 3): Group =>
  split(ROOT, threshold, range(n), 1, suiteOf(keyType));

type Signer = { nonces: Nonces; commitment: Commitment };
const nonce = ({ shares }: Group, keyType: KeyType, identifier: number): Signer =>
  createNonces(suiteOf(keyType), shares[identifier - 1] as Group['shares'][number]);

/** Signs with these nodes. `change` replaces a share. */
function sign(
  { parameters, shares }: Group,
  keyType: KeyType,
  path: bigint,
  nodes: number[],
  change = (share: Uint8Array, _node: number) => share,
) {
  const key = signingKey(parameters.groupPublicKey, keyType, path);
  const signers = nodes.map((node) => nonce({ parameters, shares }, keyType, node));
  const commitments = signers.map(({ commitment }) => commitment);
  const signed = new Map(
    signers.map(({ nonces, commitment: { identifier } }) => {
      const share = shares[identifier - 1] as Group['shares'][number];
      const own = signShare(key, { parameters, share }, nonces, commitments, MESSAGE);
      return [identifier, change(own, identifier)];
    }),
  );
  return { key, signature: aggregate(key, parameters, commitments, MESSAGE, signed) };
}

/** Verifies by another implementation for Ed25519, and as BIP 340 says. */
function isValid({ suite, publicKey }: SigningKey, signature: Uint8Array): boolean {
  if (suite === 'secp256k1') return schnorr.verify(signature, MESSAGE, publicKey);
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, MESSAGE, key, signature);
}

describe.each(keyTypes)('a key of type %s', (keyType) => {
  test.each([
    [2, [1, 2]],
    [2, [1, 3]],
    [3, [2, 4, 5]],
    [1, [2, 3]],
  ])('signs with %i of the nodes: %j', (threshold, nodes) => {
    // Both parities of the public key, of the nonces and of the internal key occur.
    for (let path = 1n; path <= 8n; path++) {
      const { key, signature } = sign(groupFor(keyType, threshold, 5), keyType, path, nodes);
      expect(isValid(key, signature)).toBe(true);
    }
  });

  test('is the key of the root and the tweak, and differs for each path', () => {
    const { parameters } = groupFor(keyType);
    const { basePoint, reduce } = groups[suiteOf(keyType)];
    const keys = range(20).map((path) => signingKey(parameters.groupPublicKey, keyType, BigInt(path)));
    for (const { sign: sign_, tweak, point } of keys)
      expect(basePoint(reduce(sign_ * ROOT + tweak)).equals(point)).toBe(true);
    expect(new Set(keys.map(({ publicKey }) => bytesToHex(publicKey))).size).toBe(20);
  });

  test('names the nodes whose shares do not hold', () => {
    const group = groupFor(keyType, 3, 3);
    const lies = (share: Uint8Array, node: number) => {
      if (node === 1) return new Uint8Array(32).fill(255);
      return node === 3 ? share.map((byte, i) => (i === 16 ? byte ^ 1 : byte)) : share;
    };
    expect(() => sign(group, keyType, 7n, [1, 2, 3], lies)).toThrow(/^node 1, signature/);
    const lie = (share: Uint8Array, node: number) => (node === 1 ? share : lies(share, node));
    try {
      sign(group, keyType, 7n, [1, 2, 3], lie);
      expect.unreachable();
    } catch (error) {
      expect((error as FaultError).faults).toMatchObject([
        { role: 'node', identifier: 3, round: 'signature' },
      ]);
    }
  });

  test('gives no second share for nonces that were used', () => {
    const group = groupFor(keyType);
    const key = signingKey(group.parameters.groupPublicKey, keyType, 1n);
    const [own, other] = [nonce(group, keyType, 1), nonce(group, keyType, 2)];
    const commitments = [own.commitment, other.commitment];
    const node = { parameters: group.parameters, share: group.shares[0] as Group['shares'][number] };
    signShare(key, node, own.nonces, commitments, MESSAGE);
    expect(() => signShare(key, node, own.nonces, commitments, Uint8Array.of(1))).toThrow('already used');
  });

  test('refuses missing, repeated, foreign and malformed commitments', () => {
    const group = groupFor(keyType);
    const key = signingKey(group.parameters.groupPublicKey, keyType, 1n);
    const [a, b, c] = range(3).map((node) => nonce(group, keyType, node).commitment) as Commitment[] as [
      Commitment,
      Commitment,
      Commitment,
    ];
    const node = { parameters: group.parameters, share: group.shares[0] as Group['shares'][number] };
    const zero = '00'.repeat(groups[suiteOf(keyType)].pointBytes);
    const identity = keyType === 'ed25519' ? `01${zero.slice(2)}` : zero;
    for (const commitments of [
      [],
      [a],
      [a, b, c],
      [b, a],
      [a, a],
      [a, { ...b, identifier: 1 }],
      [a, { ...b, identifier: 4 }],
      [a, { ...b, identifier: 0 }],
      [b, c],
      [a, { ...b, hiding: zero }],
      [a, { ...b, binding: identity }],
      [a, { ...b, binding: 'ab' }],
      [{ ...a, hiding: b.hiding }, b],
      [{ ...a, hiding: a.binding, binding: a.hiding }, b],
    ]) {
      const { nonces } = nonce(group, keyType, 1);
      expect(() => signShare(key, node, nonces, commitments, MESSAGE), JSON.stringify(commitments)).toThrow();
      // The nonces are deleted, so that no other list can use them.
      expect([...nonces.hiding, ...nonces.binding].every((byte) => byte === 0)).toBe(true);
    }
  });
});

test('gives the shares and the signature of RFC 9591, appendix E.1', () => {
  const groupPublicKey = '15d21ccd7ee42959562fc8aa63224c8851fb3ec85a3faf66040d380fb9738673';
  const { decodePoint, basePoint, decodeScalar } = groups.ed25519;
  const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
  const secrets = [
    '929dcc590407aae7d388761cddb0c0db6f5627aea8e217f4a033f2ec83d93509',
    'a91e66e012e4364ac9aaa405fcafd370402d9859f7b6685c07eed76bf409e80d',
    'd3cb090a075eb154e82fdb4b3cb507f110040905468bb9c46da8bdea643a9a02',
  ];
  const parameters = {
    ...groupFor('ed25519').parameters,
    groupPublicKey,
    nodes: secrets.map((secret, i) => ({
      identifier: i + 1,
      publicShare: bytesToHex(basePoint(decodeScalar(hex(secret))).toBytes()),
    })),
  };
  const point = decodePoint(hex(groupPublicKey));
  const key: SigningKey = { suite: 'ed25519', sign: 1n, tweak: 0n, point, publicKey: point.toBytes() };
  const signers = [
    {
      identifier: 1,
      hiding: 'ef6599dea4010581a72b3018c37c29a4341d7cab0773e8687ca74dcf14009701',
      binding: '2baadfa0c69aa60d517ad4751de372a73f9d89cfc39026601f18458cdec12605',
      share: '60997f0142e43e8005027fe5ab7447dac00d22c2d7ddd9571a02613ba7d81c08',
    },
    {
      identifier: 3,
      hiding: '80f8d9a4b8f9366e1a0b618107c907cd3ee29fa9bb40b4691cc1bde696240005',
      binding: '2610b664a5a187b4855e87d2ff485bebdf043dc2f161fcd4854cd01dc0276404',
      share: '79390e78bc59699c7af831f8f5fb478ec871a85f561a8641b5670ac4443f720f',
    },
  ];
  const pointOf = (scalar: string) => bytesToHex(basePoint(decodeScalar(hex(scalar))).toBytes());
  const commitments = signers.map(({ identifier, hiding, binding }) => ({
    identifier,
    hiding: pointOf(hiding),
    binding: pointOf(binding),
  }));
  const message = hex('74657374');
  const shares = signers.map(({ identifier, hiding, binding, share: expected }): [number, Uint8Array] => {
    const share = { epoch: 1, identifier, secret: hex(secrets[identifier - 1] ?? '') };
    const nonces = { hiding: hex(hiding), binding: hex(binding) };
    const own = signShare(key, { parameters, share }, nonces, commitments, message);
    expect(bytesToHex(own)).toBe(expected);
    return [identifier, own];
  });
  expect(bytesToHex(aggregate(key, parameters, commitments, message, new Map(shares)))).toBe(
    '154fb694ee7fcb37bf2381d94488c2a84b03b3352ad085feca81ad26d45852b7ecfe971ce4da95c4a95db93ac376b053897fca212ef85f99cf696bffeb178f07',
  );
});

test('refuses commitments with a part of small order, which a canonical encoding can have', () => {
  const group = groupFor('ed25519');
  const key = signingKey(group.parameters.groupPublicKey, 'ed25519', 1n);
  const node = { parameters: group.parameters, share: group.shares[0] as Group['shares'][number] };
  for (const bytes of ED25519_TORSION_SUBGROUP.slice(1)) {
    const other = nonce(group, 'ed25519', 2);
    const small = ed25519.Point.fromHex(bytes);
    const mixed = ed25519.Point.fromHex(other.commitment.hiding).add(small);
    for (const hiding of [small.toHex(), mixed.toHex()]) {
      const { nonces, commitment } = nonce(group, 'ed25519', 1);
      const commitments = [commitment, { ...other.commitment, hiding }];
      expect(() => signShare(key, node, nonces, commitments, MESSAGE), hiding).toThrow('bad point');
    }
  }
});

test('the output key of Taproot equals the vector of BIP 86', () => {
  // The first receiving address of the vectors of BIP 86.
  const internal = 'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115';
  const output = 'a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c';
  const tweak = schnorr.utils.taggedHash('TapTweak', Buffer.from(internal, 'hex'));
  const { basePoint, decodePoint } = groups.secp256k1;
  const point = decodePoint(Buffer.from(`02${internal}`, 'hex')).add(
    basePoint(BigInt(`0x${bytesToHex(tweak)}`)),
  );
  expect(bytesToHex(point.toBytes().subarray(1))).toBe(output);
  for (const path of [1n, 2n, 3n, 4n]) {
    const { groupPublicKey } = groupFor('taproot').parameters;
    const inner = signingKey(groupPublicKey, 'bip340', path).publicKey;
    const added = BigInt(`0x${bytesToHex(schnorr.utils.taggedHash('TapTweak', inner))}`);
    const expected = decodePoint(Buffer.concat([Uint8Array.of(2), inner])).add(basePoint(added));
    expect(bytesToHex(signingKey(groupPublicKey, 'taproot', path).publicKey)).toBe(
      bytesToHex(expected.toBytes().subarray(1)),
    );
  }
});

test('no element of ed25519 has a part of small order: a dealer could hide a bit in it', () => {
  const { decodePoint } = groups.ed25519;
  const smallOrder = ed25519.Point.fromHex(`ec${'ff'.repeat(30)}7f`);
  for (const point of [smallOrder, ed25519.Point.BASE.add(smallOrder)])
    expect(() => decodePoint(point.toBytes())).toThrow('another order');
  expect(decodePoint(ed25519.Point.BASE.toBytes())).toBeTruthy();
});
