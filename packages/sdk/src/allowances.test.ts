import { buildAllowance, cidHash } from '@latchkey/protocol';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';
import { type Allowance, verifyAllowance } from './allowances.ts';

const service = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const deployment = { chainId: 8453, contractAddress: `0x${'22'.repeat(20)}` } as const;
const unsigned = {
  cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
  wallet: service.address,
  name: 'daily',
  window: '60',
  limit: '100',
  amount: '5',
  sum: '7',
  sequence: '2',
  time: '1800000000000000',
  run: `0x${'33'.repeat(16)}`,
} as const;

let allowance: Allowance;
beforeAll(async () => {
  const { cid, wallet, name, run, ...numbers } = unsigned;
  const integers = Object.fromEntries(
    Object.entries(numbers).map(([field, value]) => [field, BigInt(value)]),
  );
  const message = { account: 9n, cidHash: cidHash(cid), wallet, name, run, ...integers } as Parameters<
    typeof buildAllowance
  >[0];
  allowance = { ...unsigned, signature: await service.signTypedData(buildAllowance(message, deployment)) };
});
const isValid = (changed: Partial<Allowance>, more: object = {}) =>
  verifyAllowance({
    allowance: { ...allowance, ...changed },
    account: 9n,
    signer: service.address,
    ...deployment,
    ...more,
  });

test('a statement is valid for its account, signer and deployment only', () => {
  expect(isValid({})).toBe(true);
  expect(isValid({}, { account: 8n })).toBe(false);
  expect(isValid({}, { signer: `0x${'44'.repeat(20)}` })).toBe(false);
  expect(isValid({}, { chainId: 1 })).toBe(false);
  expect(isValid({ signature: '0x' })).toBe(false);
});

test.each([
  ['cid', 'QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB'],
  ['wallet', `0x${'44'.repeat(20)}`],
  ['name', 'weekly'],
  ['window', '61'],
  ['limit', '101'],
  ['amount', '4'],
  ['sum', '6'],
  ['sequence', '3'],
  ['time', '1800000000000001'],
  ['run', `0x${'34'.repeat(16)}`],
])('a statement with another %s is not valid', (field, value) => {
  expect(isValid({ [field]: value })).toBe(false);
});
