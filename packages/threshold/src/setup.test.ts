import {
  checkSetup,
  type DealingSetup,
  decodeSetup,
  encodeSetup,
  generationSetup,
  refreshSetup,
  resharingSetup,
} from '@latchkey/threshold';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSession, range, split } from '../test/dealings.ts';

const session = newSession();
const { parameters } = split(11n, 2, range(3), 4);
const generation = generationSetup(session, { threshold: 2, nodes: range(3) });
const refresh = refreshSetup(session, parameters);
const resharing = resharingSetup(session, parameters, {
  dealers: [1, 3],
  receivers: [1, 3, 4],
  threshold: 2,
});

test.each([generation, refresh, resharing])('the setup of a $kind survives encoding', (setup) => {
  expect(decodeSetup(encodeSetup(setup))).toEqual(setup);
});

test('a refresh and a resharing have the next epoch', () => {
  expect([generation, refresh, resharing].map(({ epoch }) => epoch)).toEqual([1, 5, 5]);
});

test('changed bytes of a setup are refused or are the encoding of another one', () => {
  const mutated = fc
    .tuple(fc.constantFrom(generation, refresh, resharing), fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2))
    .map(([setup, position, byte, removed]) => {
      const bytes = [...encodeSetup(setup)];
      bytes.splice(position % bytes.length, removed, byte);
      return Uint8Array.from(bytes);
    });
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array()), (bytes) => {
      let setup: DealingSetup;
      try {
        setup = decodeSetup(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      expect(encodeSetup(setup)).toEqual(bytes);
    }),
    { numRuns: 200 },
  );
});

test.each<[Partial<DealingSetup>, DealingSetup, string]>([
  [{ session: 'x' }, generation, '32 bytes'],
  [{ epoch: 0 }, generation, 'epoch'],
  [{ threshold: 0 }, generation, 'threshold'],
  [{ threshold: 4 }, generation, 'threshold'],
  [{ dealers: [1, 2] }, generation, 'all nodes deal'],
  [{ receivers: [0, 1, 2], dealers: [0, 1, 2] }, generation, 'ascending'],
  [{ receivers: [1, 1, 2], dealers: [1, 1, 2] }, generation, 'ascending'],
  [{ receivers: range(17), dealers: range(17) }, generation, '1 to 16'],
  [{ previous: parameters }, generation, 'previous group'],
  [{ previous: null }, refresh, 'previous group'],
  [{ epoch: 4 }, refresh, 'above 4'],
  [{ threshold: 3 }, refresh, 'keeps nodes and threshold'],
  [{ dealers: [1, 2], receivers: [1, 2] }, refresh, 'keeps nodes and threshold'],
  [{ dealers: [1], receivers: [1, 2] }, resharing, 'expected 2 dealers'],
  [{ dealers: [1, 4] }, resharing, 'not in the group'],
  [{ epoch: 4 }, resharing, 'above 4'],
  [{ previous: { ...parameters, threshold: 1 } }, resharing, 'contradicts'],
])('%j is refused', (change, setup, message) => {
  expect(() => checkSetup({ ...setup, ...change })).toThrow(message);
});

test('a group of threshold 1 cannot be refreshed', () => {
  expect(() => refreshSetup(session, split(11n, 1, range(3)).parameters)).toThrow('nothing to refresh');
});
