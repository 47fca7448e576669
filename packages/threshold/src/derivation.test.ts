import { createHash, hkdfSync } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  combine,
  decodeInput,
  deriveActionKey,
  deriveUsageKeySecret,
  deriveWalletKeys,
  encodeInput,
  evaluate,
  type KeyRequest,
  verifyPartial,
} from '@latchkey/threshold';
import { ristretto255_hasher } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Group, generate, rootOf } from '../test/dealings.ts';

/** `npm run test:deep -- --only derivations` sets 100,000. */
const COUNT = Number(process.env.DERIVATIONS ?? 30);
const N = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

const requests = fc.oneof(
  fc.record({ kind: fc.constantFrom('wallet', 'usage-key'), path: fc.bigInt(0n, 2n ** 256n - 1n) }),
  fc.record({
    kind: fc.constant('action'),
    cid: fc.stringMatching(/^[A-Za-z0-9]{1,256}$/),
  }),
  fc.record({
    kind: fc.constant('action-public-key'),
    cid: fc.stringMatching(/^[A-Za-z0-9]{1,256}$/),
    publicKey: fc.stringMatching(/^0[23][0-9a-f]{64}$/),
  }),
  fc.record({
    kind: fc.constant('wallet-address'),
    path: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    address: fc.stringMatching(/^[0-9a-f]{40}$/),
  }),
) as fc.Arbitrary<KeyRequest>;

/** The secrets of a request from all its partial evaluations by two nodes. */
function derive({ parameters, shares }: Group, input: Uint8Array, nodes: number[]): Uint8Array {
  const partials = nodes.map((node) => {
    const share = shares[node - 1];
    if (!share) throw new Error('no share');
    return verifyPartial(parameters, node, input, evaluate(parameters, share, input));
  });
  return combine(parameters, input, partials);
}

/** The input, written independently of `encodeInput`. */
function plainInput(request: KeyRequest): Buffer {
  const parts = {
    path: 'path' in request ? request.path.toString(16).padStart(64, '0') : '',
    publicKey: 'publicKey' in request ? request.publicKey : '',
  };
  const cid = 'cid' in request ? request.cid : '';
  const context = Buffer.concat([Buffer.from(parts.path + parts.publicKey, 'hex'), Buffer.from(cid)]);
  return Buffer.concat([
    Buffer.from(`\x15latchkey/threshold/v1${String.fromCharCode(request.kind.length)}${request.kind}`),
    Buffer.of(context.length >> 8, context.length & 255),
    context,
  ]);
}

/** RFC 9497, 3.3.1, Evaluate with the hash of mode VOPRF. */
function plainOutput(root: bigint, input: Uint8Array): Uint8Array {
  const point = ristretto255_hasher.hashToCurve(new Uint8Array(input), {
    DST: 'HashToGroup-OPRFV1-\x01-ristretto255-SHA512',
  });
  const length = Buffer.of(input.length >> 8, input.length & 255);
  const hash = createHash('sha512').update(length).update(input).update(Buffer.of(0, 32));
  return new Uint8Array(hash.update(point.multiply(root).toBytes()).update('Finalize').digest());
}

const plainHkdf = (output: Uint8Array, label: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha512', output, '\x15latchkey/threshold/v1', label, length));

/** FIPS 186-5, A.2.1: 48 bytes mod (order − 1) + 1. */
function plainScalar(output: Uint8Array, label: string): Buffer {
  const value = (BigInt(`0x${plainHkdf(output, label, 48).toString('hex')}`) % (N - 1n)) + 1n;
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

const plainSecrets = (kind: KeyRequest['kind'], output: Uint8Array): Buffer[] =>
  kind === 'wallet'
    ? [plainScalar(output, 'wallet-signing-key/v2'), plainHkdf(output, 'wallet-encryption-key/v2', 32)]
    : [plainScalar(output, kind === 'action' ? 'action-signing-key/v2' : 'usage-key-secret/v2')];

function secretsOf(kind: KeyRequest['kind'], output: Uint8Array): Uint8Array[] {
  if (kind === 'action') return [deriveActionKey(output)];
  if (kind === 'usage-key') return [deriveUsageKeySecret(output)];
  const { signingKey, encryptionKey } = deriveWalletKeys(output);
  return [signingKey, encryptionKey];
}

test(`${COUNT} derivations equal a plain computation from the root`, {
  timeout: 30_000 + 200 * COUNT,
}, async () => {
  const group = generate(2, 3);
  const root = rootOf(group.shares.slice(1));
  for (let i = 0; i < COUNT; i++) {
    // Lets the worker of the test runner report.
    if (i % 100 === 99) await setImmediate();
    const digest = createHash('sha256').update(`${i}`).digest('hex');
    const request: KeyRequest =
      i % 3 === 2
        ? { kind: 'action', cid: `Qm${digest.slice(0, 44)}` }
        : { kind: i % 3 === 0 ? 'wallet' : 'usage-key', path: BigInt(`0x${digest}`) };
    const input = encodeInput(request);
    const output = derive(group, input, [1 + (i % 3), 1 + ((i + 1) % 3)]);
    expect(Buffer.from(input)).toEqual(plainInput(request));
    expect(output).toEqual(plainOutput(root, plainInput(request)));
    expect(secretsOf(request.kind, output).map((bytes) => Buffer.from(bytes))).toEqual(
      plainSecrets(request.kind, output),
    );
  }
});

test('an input gives its request', () => {
  fc.assert(
    fc.property(requests, (request) => {
      expect(decodeInput(encodeInput(request))).toEqual(request);
    }),
  );
});

test('an input is refused unless it is the encoding of its request', () => {
  const mutated = fc
    .tuple(requests, fc.nat(400), fc.nat(255), fc.constantFrom(0, 1, 2))
    .map(([request, position, byte, edit]) => {
      const input = [...encodeInput(request)];
      input.splice(position % input.length, edit, byte);
      return Uint8Array.from(input);
    });
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array()), (input) => {
      let request: KeyRequest;
      try {
        request = decodeInput(input);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      expect(encodeInput(request)).toEqual(input);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['a kind with a byte order mark', '15', '0a', 'efbbbf77616c6c6574', '0020', '00'.repeat(32)],
  ['a CID with a byte order mark', '15', '06', '616374696f6e', '0004', 'efbbbf51'],
  ['another domain', '14', '06', '77616c6c6574', '0020', '00'.repeat(32)],
  ['a short path', '15', '06', '77616c6c6574', '001f', '00'.repeat(31)],
  ['an empty path', '15', '06', '77616c6c6574', '0000', ''],
  ['an empty CID', '15', '06', '616374696f6e', '0000', ''],
  ['trailing bytes', '15', '06', '77616c6c6574', '0020', '00'.repeat(33)],
  ['no context', '15', '06', '77616c6c6574', '', ''],
])('an input with %s is refused', (_, domainLength, kindLength, kind, length, context) => {
  const domain = Buffer.from('latchkey/threshold/v1').toString('hex');
  const input = Buffer.from(domainLength + domain + kindLength + kind + length + context, 'hex');
  expect(() => decodeInput(new Uint8Array(input))).toThrow(RangeError);
});

test('requests that have no input are refused', () => {
  expect(() => encodeInput({ kind: 'wallet', path: -1n })).toThrow('uint256');
  expect(() => encodeInput({ kind: 'usage-key', path: 1n << 256n })).toThrow('uint256');
  expect(() => encodeInput({ kind: 'action', cid: 'a'.repeat(257) })).toThrow('CID');
  expect(() => encodeInput({ kind: 'action', cid: 'Qm/' })).toThrow('CID');
  expect(() => deriveActionKey(new Uint8Array(63))).toThrow('64 bytes');
});

test('kinds with one context and uses of one output have different secrets', () => {
  const root = 5n;
  const outputs = (['wallet', 'usage-key'] as const).map((kind) =>
    plainOutput(root, encodeInput({ kind, path: 7n })),
  );
  const secrets = outputs.flatMap((output) =>
    (['wallet', 'usage-key', 'action'] as const).flatMap((kind) => secretsOf(kind, output)),
  );
  expect(new Set(secrets.map((secret) => `${secret}`)).size).toBe(8);
});
