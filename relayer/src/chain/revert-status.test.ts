import { accountConfigAbi } from '@latchkey/protocol';
import { type Abi, encodeErrorResult, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { ContractRevertError } from './errors.ts';
import { revertStatus } from './revert-status.ts';

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const errors = accountConfigAbi.filter((item) => item.type === 'error') as readonly Extract<
  Abi[number],
  { type: 'error' }
>[];

const sample = { uint256: 7n, address: WALLET, string: 'the reason', bytes4: '0x12345678' } as const;
const revertOf = (name: string, args?: unknown[]): ContractRevertError => {
  const item = errors.find((error) => error.name === name);
  if (!item) throw new Error(name);
  const values = args ?? item.inputs.map(({ type }) => sample[type as keyof typeof sample]);
  return new ContractRevertError(encodeErrorResult({ abi: [item], errorName: name, args: values }) as Hex);
};

const statuses: Record<number, string[]> = {
  400: ['InvalidRequest'],
  401: ['UsageApiKeyExpired'],
  403: [
    'NoAccountAccess',
    'NotMasterAccount',
    'NotAllowedToCreateGroup',
    'NotAllowedToDeleteGroup',
    'NotAllowedToCreatePkp',
    'NotAllowedToAddPkpToGroup',
    'NotAllowedToRemovePkpFromGroup',
    'NotAllowedToManageIPFSIdsInGroup',
    'DerivationPathNotMintedFor',
  ],
  404: [
    'AccountDoesNotExist',
    'GroupDoesNotExist',
    'PkpDoesNotExist',
    'ActionDoesNotExist',
    'UsageApiKeyDoesNotExist',
  ],
  409: ['AccountAlreadyExists', 'PkpAlreadyExists', 'ActionAlreadyExists', 'DerivationPathAlreadyRegistered'],
  503: ['OnlyApiPayer', 'OnlyApiPayerOrOwner', 'FunctionNotFound'],
};

test.each(errors.map(({ name }) => name))('%s', (name) => {
  const expected = Object.entries(statuses).find(([, names]) => names.includes(name))?.[0] ?? '500';
  expect(revertStatus(revertOf(name)).status).toBe(Number(expected));
});

describe('what was wrong', () => {
  test("the caller's own hash is an unknown key, another one is not found", () => {
    expect(revertStatus(revertOf('AccountDoesNotExist', [7n]), 7n).status).toBe(401);
    expect(revertStatus(revertOf('AccountDoesNotExist', [7n]), 8n).status).toBe(404);
  });

  test.each([
    [revertOf('InvalidRequest'), /the reason/],
    [revertOf('GroupDoesNotExist', [1n, 42n]), /group 42/],
    [revertOf('PkpDoesNotExist', [1n, 0n, WALLET]), /account has no wallet 0xf39F/],
    [revertOf('PkpDoesNotExist', [1n, 5n, WALLET]), /account has no wallet 0xf39F/],
    [revertOf('ActionDoesNotExist', [1n, 0n, 255n]), /account has no action 0x0{62}ff/],
    [revertOf('ActionDoesNotExist', [1n, 5n, 255n]), /group 5 has no action/],
    [revertOf('NotAllowedToAddPkpToGroup', [1n, 0n]), /every group/],
    [revertOf('NotAllowedToAddPkpToGroup', [1n, 3n]), /the group 3/],
  ])('%o', (revert, message) => {
    expect(revertStatus(revert).message).toMatch(message);
  });
});

test('a panic, a string and bytes that nobody knows are our fault', () => {
  const panic = `0x4e487b71${'11'.padStart(64, '0')}`;
  const string = encodeErrorResult({
    abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string', name: 'text' }] }],
    args: ['text'],
  });
  for (const data of ['0x', '0xdeadbeef', panic, string] as Hex[])
    expect(revertStatus(new ContractRevertError(data)).status).toBe(500);
});
