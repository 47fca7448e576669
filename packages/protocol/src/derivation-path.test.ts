import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExportable, markPath } from './derivation-path.ts';

const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
/** Random bits below the mark, and the wallet above it. */
const outside = (path: bigint) => [path >> 96n, path % 2n ** 64n];

test('a path says whether its wallet is exportable, and keeps its wallet and 64 random bits', () => {
  fc.assert(
    fc.property(uint256, fc.boolean(), (path, exportable) => {
      const marked = markPath(path, exportable);
      expect(isExportable(marked)).toBe(exportable);
      expect(outside(marked)).toEqual(outside(path));
      expect(markPath(marked, exportable)).toBe(marked);
    }),
  );
});

test('a random path with the mark becomes exportable', () => {
  const marked = markPath(0n, false);
  expect(isExportable(marked)).toBe(false);
  expect(isExportable(markPath(marked, true))).toBe(true);
  expect(isExportable(0n)).toBe(true);
});
