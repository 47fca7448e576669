import { toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { accountConfigAbi } from './index.ts';

test('the interface has functions, events and errors, and no two functions share a selector', () => {
  const functions = accountConfigAbi.filter((item) => item.type === 'function');
  expect(new Set(functions.map((item) => toFunctionSelector(item))).size).toBe(functions.length);
  expect(new Set(accountConfigAbi.map(({ type }) => type))).toEqual(new Set(['function', 'event', 'error']));
});
