import { expect, test } from 'vitest';
import { type Contract, MAX_CODE_SIZE, oversized } from './facets.ts';

function contract(name: string, codeSize: number): Contract {
  return { name, methodIdentifiers: {}, deployedBytecode: { object: `0x${'00'.repeat(codeSize)}` } };
}

test('refuses code over the size limit of a contract, and accepts code at the limit', () => {
  expect(oversized([contract('A', MAX_CODE_SIZE), contract('B', MAX_CODE_SIZE + 1)])).toEqual([
    'B has 24577 bytes, over 24576',
  ]);
});
