import {
  checkGroupParameters,
  decodeGroupParameters,
  encodeGroupParameters,
  type GroupParameters,
} from '@latchkey/threshold';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { range, split } from '../test/dealings.ts';

const groups = [
  split(11n, 1, [1]),
  split(12n, 2, range(3)),
  split(13n, 3, [1, 2, 4, 9, 255]),
  split(14n, 16, range(16), 2 ** 32 - 1),
].map(({ parameters }) => parameters);
const group = groups[1] as GroupParameters;
const text = encodeGroupParameters(group);

test.each(groups)('parameters with threshold $threshold survive encoding', (parameters) => {
  const encoded = encodeGroupParameters(parameters);
  expect(decodeGroupParameters(encoded)).toEqual(parameters);
  // MAX_VALUE_BYTES of the contract's node configuration is 1,024.
  expect(encoded.length).toBeLessThanOrEqual(900);
  expect(encoded).toMatch(/^latchkey-threshold\/1;epoch=\d+;threshold=\d+;key=[\w-]{43};1=/);
});

describe('a text', () => {
  test('with any other character is refused, except for the epoch', () => {
    const characters = [..."0123456789=;AZaz-_/+ \n\0é'"];
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom(...characters),
        fc.constantFrom(0, 1),
        (at, character, removed) => {
          const mutated = text.slice(0, at) + character + text.slice(at + removed);
          fc.pre(mutated !== text);
          let decoded: GroupParameters;
          try {
            decoded = decodeGroupParameters(mutated);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
            return;
          }
          expect({ ...decoded, epoch: 1 }).toEqual(group);
          expect(encodeGroupParameters(decoded)).toBe(mutated);
        },
      ),
      { numRuns: 400 },
    );
  });

  test.each([
    ['', 'malformed'],
    [` ${text}`, 'malformed'],
    [`${text}\n`, 'malformed'],
    [`${text};`, 'malformed'],
    [text.replace('epoch=1', 'epoch=0'), 'malformed'],
    [text.replace('epoch=1', 'epoch=01'), 'malformed'],
    [text.replace('epoch=1', 'epoch=4294967296'), 'epoch'],
    [text.replace('threshold=2', 'threshold=4'), 'threshold must be'],
    [text.replace('threshold=2', 'threshold=1'), 'contradicts the public shares of nodes 1'],
    [text.replace('threshold=2', 'threshold=3'), 'fewer than 3 shares'],
    [text.replace(';2=', ';1='), 'ascending'],
    [text.replace(';3=', ';256='), 'ascending'],
    [text.replace(';3=', ';4='), 'node 4 contradicts'],
    // The last character has two unused bits.
    [text.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)), 'not canonical'],
    [text.replace(/key=.{43}/, `key=${'A'.repeat(43)}`), 'malformed group public key'],
    [text.replace(/;2=.{43}/, `;2=${'_'.repeat(42)}8`), 'malformed public share of node 2'],
  ])('%j is refused: %s', (mutated, message) => {
    expect(() => decodeGroupParameters(mutated)).toThrow(message);
  });
});

test('inconsistent parameters are refused', () => {
  const [one, two, three] = group.nodes as [Node, Node, Node];
  type Node = GroupParameters['nodes'][number];
  const refused: [Partial<GroupParameters>, string][] = [
    [{ groupPublicKey: one.publicShare }, 'group public key contradicts'],
    [{ nodes: [one, two, { ...three, publicShare: one.publicShare }] }, 'node 3 contradicts'],
    [{ nodes: [one, two, { ...three, publicShare: '00'.repeat(32) }] }, 'malformed public share of node 3'],
    [{ nodes: [one, two, { ...three, publicShare: three.publicShare.toUpperCase() }] }, 'malformed'],
    [{ nodes: [two, one, three] }, 'ascending'],
    [{ nodes: [] }, 'ascending'],
    [{ nodes: [{ ...one, identifier: 0 }, two] }, 'ascending'],
    [{ threshold: 1.5 }, 'threshold'],
    [{ epoch: 1.5 }, 'epoch'],
    [{ epoch: Number.NaN }, 'epoch'],
  ];
  for (const [change, message] of refused) {
    expect(() => checkGroupParameters({ ...group, ...change })).toThrow(message);
  }
  expect(() => checkGroupParameters(split(1n, 2, range(17)).parameters)).toThrow('16');
});
