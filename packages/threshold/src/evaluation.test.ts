import {
  checkShare,
  combine,
  decodePartial,
  elementOf,
  evaluate,
  evaluateUnproven,
  FaultError,
  type GroupParameters,
  type PartialEvaluation,
  refreshSetup,
  type Share,
  verifyPartial,
} from '@latchkey/threshold';
import { ristretto255, ristretto255_oprf } from '@noble/curves/ed25519.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Group,
  generate,
  groupOf,
  newSession,
  range,
  run,
  split,
  splitSecret,
  start,
} from '../test/dealings.ts';
import { oprf, voprf } from '../test/rfc9497.ts';
import { combineElements, evaluateElement } from './evaluation.ts';

const { Point } = ristretto255;
const scalar = (hex: string) => Point.Fn.fromBytes(hexToBytes(hex));
const input = Uint8Array.of(1, 2, 3);

function partialOf({ parameters, shares }: Group, identifier: number, of = input): PartialEvaluation {
  const share = shares.find((candidate) => candidate.identifier === identifier);
  if (!share) throw new Error('no share');
  return verifyPartial(parameters, identifier, of, evaluate(parameters, share, of));
}

const outputOf = (group: Group, nodes: number[], of = input): string =>
  bytesToHex(
    combine(
      group.parameters,
      of,
      nodes.map((node) => partialOf(group, node, of)),
    ),
  );

/** All subsets of so many members. */
function subsets(members: number[], size: number): number[][] {
  if (size === 0) return [[]];
  return members.flatMap((first, i) =>
    subsets(members.slice(i + 1), size - 1).map((rest) => [first, ...rest]),
  );
}

describe('RFC 9497', () => {
  test.each(oprf.vectors)('A.1.1: every threshold of groups of up to 16 evaluates $input', (vector) => {
    const element = Point.fromHex(vector.blindedElement);
    for (const n of [1, 2, 3, 4, 5, 7, 11, 16]) {
      for (const t of range(n)) {
        const used = range(n).slice(n - t);
        const partials = splitSecret(scalar(oprf.secretKey), t, used).map((secret, i) => ({
          identifier: used[i] ?? 0,
          evaluated: element.multiplyUnsafe(secret).toBytes(),
        }));
        expect(bytesToHex(combineElements(partials))).toBe(vector.evaluationElement);
      }
    }
    const output = ristretto255_oprf.oprf.finalize(
      hexToBytes(vector.input),
      hexToBytes(vector.blind),
      hexToBytes(vector.evaluationElement),
    );
    expect(bytesToHex(output)).toBe(vector.output);
  });

  test.each(voprf.vectors)('A.1.2: groups give the output of $input', (vector) => {
    for (const [t, n] of [
      [1, 1],
      [1, 16],
      [2, 2],
      [2, 3],
      [3, 5],
      [9, 16],
    ] as const) {
      const group = split(scalar(voprf.secretKey), t, range(n));
      expect(group.parameters.groupPublicKey).toBe(voprf.publicKey);
      expect(outputOf(group, range(n).slice(n - t), hexToBytes(vector.input))).toBe(vector.output);
    }
  });

  test.each(voprf.vectors)('A.1.2: the proof for $input with its random scalar', (vector) => {
    // The generator of noble returns bytes mod (order − 1) + 1.
    const random = Point.Fn.toBytes(scalar(vector.proofRandomScalar) - 1n);
    const { evaluated, proof } = evaluateElement(
      hexToBytes(voprf.secretKey),
      hexToBytes(voprf.publicKey),
      hexToBytes(vector.blindedElement),
      (length = 0) => Uint8Array.from({ length }, (_, i) => random[i] ?? 0),
    );
    expect(bytesToHex(evaluated)).toBe(vector.evaluationElement);
    expect(bytesToHex(proof)).toBe(vector.proof);
  });
});

describe('a group', () => {
  test.each([
    [2, 3],
    [3, 5],
  ])('of threshold %i and %i nodes gives one output for any t nodes', (t, n) => {
    const group = generate(t, n);
    const partials = range(n).map((node) => partialOf(group, node));
    const pick = (nodes: number[]) => nodes.flatMap((node) => partials[node - 1] ?? []);
    const combined = (nodes: number[]) => bytesToHex(combine(group.parameters, input, pick(nodes)));
    const output = combined(range(n));
    for (const nodes of subsets(range(n), t)) expect(combined(nodes)).toBe(output);
    expect(outputOf(group, range(t), Uint8Array.of(1))).not.toBe(output);
    for (const nodes of subsets(range(n), t - 1)) {
      expect(() => combined(nodes)).toThrow(`expected ${t}`);
      const fewer = combine({ ...group.parameters, threshold: t - 1 }, input, pick(nodes));
      expect(bytesToHex(fewer)).not.toBe(output);
    }
  });

  test('refuses sets that cannot be combined', () => {
    const group = generate(2, 3);
    const { parameters } = group;
    const [one, two] = [partialOf(group, 1), partialOf(group, 2)];
    const refused: [PartialEvaluation[], string][] = [
      [[], '0 partial evaluations'],
      [[one], '1 partial evaluations'],
      [[one, one], 'ascending identifiers'],
      [[one, two, one], 'ascending identifiers'],
      [[one, { ...two, identifier: 0 }], 'ascending identifiers'],
      [[one, { ...two, identifier: 4 }], 'no node 4'],
      [[one, { ...two, epoch: 2 }], 'epoch 2'],
      [[one, { ...two, evaluated: new Uint8Array(32) }], 'not an element of the group'],
      [[one, { ...two, evaluated: new Uint8Array(32).fill(255) }], 'not an element of the group'],
      [[one, { ...two, evaluated: two.evaluated.subarray(1) }], 'not an element of the group'],
    ];
    for (const [partials, message] of refused) {
      expect(() => combine(parameters, input, partials)).toThrow(message);
    }
  });
});

describe('a partial evaluation', () => {
  const group = generate(2, 3);
  const { parameters } = group;
  const [share] = group.shares as [Share];
  const honest = evaluate(parameters, share, input);
  const faultsOf = (encoded: Uint8Array, of = input, group: GroupParameters = parameters) => {
    try {
      verifyPartial(group, 1, of, encoded);
    } catch (error) {
      if (error instanceof FaultError) return error.faults;
      throw error;
    }
    return [];
  };

  test('names the node when any byte is changed', () => {
    fc.assert(
      fc.property(fc.nat(honest.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const encoded = honest.map((byte, i) => (i === at ? byte ^ change : byte));
        expect(faultsOf(encoded)).toMatchObject([{ role: 'node', identifier: 1, round: 'evaluation' }]);
      }),
      { numRuns: 60 },
    );
  });

  test('names the node for other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (encoded) => {
        expect(faultsOf(encoded)).toMatchObject([{ identifier: 1, reason: 'malformed partial evaluation' }]);
      }),
    );
  });

  test('names the node for another input, another node, and the identity', () => {
    const [, other] = group.shares as [Share, Share];
    const identity = honest.map((byte, i) => (i >= 5 && i < 37 ? 0 : byte));
    expect(faultsOf(honest)).toEqual([]);
    expect(faultsOf(honest, Uint8Array.of(9))).toMatchObject([{ reason: 'the proof does not hold' }]);
    expect(faultsOf(evaluate(parameters, other, input))).toMatchObject([{ identifier: 1 }]);
    expect(faultsOf(identity)).toMatchObject([{ identifier: 1, reason: 'the proof does not hold' }]);
    expect(() => verifyPartial(parameters, 4, input, honest)).toThrow('no node 4');
  });

  test('without a proof has the element of the one with a proof, which any t others give too', () => {
    for (const share of group.shares) {
      const proven = evaluate(parameters, share, input);
      const encoded = evaluateUnproven(parameters, share, input);
      expect(encoded).toEqual(proven.subarray(0, 37));
      const partial = decodePartial(parameters, share.identifier, encoded);
      expect(partial).toEqual(verifyPartial(parameters, share.identifier, input, proven));
      const others = [1, 2, 3].filter((node) => node !== share.identifier);
      const verified = others.map((node) => partialOf(group, node));
      expect(elementOf(parameters, share.identifier, verified)).toEqual(partial.evaluated);
      expect(() => verifyPartial(parameters, share.identifier, input, encoded)).toThrow('malformed');
      expect(() => decodePartial(parameters, share.identifier, proven)).toThrow('malformed');
      expect(() => decodePartial(parameters, 4, encoded)).toThrow('no node 4');
      expect(() => elementOf(parameters, share.identifier, verified.slice(1))).toThrow('expected 2');
    }
  });

  test('of an old share does not verify or combine after a refresh', () => {
    const states = run(start(refreshSetup(newSession(), parameters), group.shares));
    const refreshed = groupOf(states);
    expect(refreshed.parameters.groupPublicKey).toBe(parameters.groupPublicKey);
    expect(outputOf(refreshed, [1, 3])).toBe(outputOf(group, [1, 2]));
    expect(faultsOf(honest, input, refreshed.parameters)).toMatchObject([
      { reason: 'of epoch 1, expected 2' },
    ]);
    expect(() => evaluate(refreshed.parameters, share, input)).toThrow('epoch 1');
    expect(() => evaluateUnproven(refreshed.parameters, share, input)).toThrow('epoch 1');
    expect(() => decodePartial(refreshed.parameters, 1, honest.subarray(0, 37))).toThrow('epoch 1');
    // A node that claims the new epoch for its old share.
    const relabelled = { ...share, epoch: 2 };
    expect(() => checkShare(refreshed.parameters, relabelled)).toThrow('does not match');
    const lie = evaluate(refreshed.parameters, relabelled, input);
    expect(faultsOf(lie, input, refreshed.parameters)).toMatchObject([{ reason: 'the proof does not hold' }]);
    const mixed = combineElements([partialOf(group, 1), partialOf(refreshed, 2)]);
    expect(mixed).not.toEqual(combineElements([partialOf(group, 1), partialOf(group, 2)]));
    expect(() =>
      combine(refreshed.parameters, input, [partialOf(group, 1), partialOf(refreshed, 2)]),
    ).toThrow('epoch 1');
  });
});

test('a share is refused with another group, epoch, node or value', () => {
  const { parameters, shares } = generate(2, 3);
  const [share, other] = shares as [Share, Share];
  checkShare(parameters, share);
  expect(() => checkShare(generate(2, 3).parameters, share)).toThrow('does not match');
  expect(() => checkShare(parameters, { ...share, epoch: 2 })).toThrow('epoch 2');
  expect(() => checkShare(parameters, { ...share, identifier: 4 })).toThrow('no node 4');
  expect(() => checkShare(parameters, { ...share, secret: other.secret })).toThrow('does not match');
  expect(() => checkShare(parameters, { ...share, secret: new Uint8Array(32) })).toThrow('scalar 0');
  expect(() => checkShare(parameters, { ...share, secret: new Uint8Array(32).fill(255) })).toThrow();
});
