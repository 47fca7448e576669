import { ContractRevertError } from '@latchkey/chain/errors';
import { accountConfigAbi } from '@latchkey/protocol';
import { type Abi, encodeErrorResult, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { revertStatus } from './revert-status.ts';

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const errors = accountConfigAbi.filter((item) => item.type === 'error') as readonly Extract<
  Abi[number],
  { type: 'error' }
>[];

/** The typed errors with the contract's arguments, and the messages of the replies. */
const refusals: [string, unknown[], string][] = [
  ['NewAccountNotManaged', [7n], 'api payers can create managed accounts only'],
  ['AlreadyAdminWallet', [7n, WALLET], 'the wallet is already the admin wallet'],
  ['AccountHashIsZero', [], 'account hash is zero'],
  ['AdminWalletIsZero', [], 'admin wallet is zero'],
  ['UsageApiKeyHashIsZero', [], 'usage key hash is zero'],
  ['ActionHashIsZero', [], 'action hash is zero'],
  ['PkpIsZero', [], 'wallet is zero'],
  ['DerivationPathIsZero', [], 'derivation path is zero'],
  [
    'ExpirationTooLarge',
    [2n ** 40n, 2n ** 40n - 1n],
    'expiration is out of range: send Unix seconds, or 0 for no expiry',
  ],
  ['TooManyGroupEntries', [11n, 10n], 'the group has more than 10 entries'],
  ['TooManyGroupMembers', [7n, 1_000n], 'the group has more than 1000 members: remove some of them first'],
  ['TooManyUsageApiKeyEntries', [51n, 50n], 'the usage key has more than 50 entries'],
  ['PageSizeOutOfRange', [1001n, 1000n], 'page_size must be from 1 to 1000'],
  ['IdCollision', [7n], 'id collision'],
  ['TooManyUsageApiKeys', [7n, 2n ** 28n - 1n], 'the account has too many usage keys'],
  ['TooManyGroups', [7n, 2n ** 24n - 1n], 'the account has too many groups'],
  ['TooManyItems', [2n ** 24n - 1n], 'the account has too many items'],
  ['TooManyApiPayers', [51n, 50n], 'more than 50 api payers'],
  ['ApiPayerIsZero', [0n], 'api payer is zero'],
  ['DuplicateApiPayer', [WALLET], 'an api payer is listed twice'],
  ['NodeConfigurationKeyLengthOutOfRange', [129n, 128n], 'the key must have 1 to 128 bytes'],
  ['NodeConfigurationValueTooLong', [1025n, 1024n], 'the value has more than 1024 bytes'],
  ['TooManyNodeConfigurations', [100n], 'more than 100 keys'],
  ['MalformedCall', [1n], 'a call does not have the canonical ABI encoding'],
  ['CallOfAnotherAccount', [1n, 7n], 'a call has another account hash than api_key_hash'],
  ['NotSignable', [1n, '0x12345678'], 'the function cannot be signed'],
  ['SignedCallsOutOfRange', [17n, 16n], 'a batch has 1 to 16 calls'],
  ['SignatureExpired', [7n], 'the deadline of the signature is in the past: sign again with a later one'],
  ['InvalidSignature', [WALLET], `the signature is not that of ${WALLET}`],
  ['InvalidRequest', ['name over 128 bytes'], 'name over 128 bytes'],
];

const sample = { uint256: 7n, address: WALLET, string: 'the reason', bytes4: '0x12345678' } as const;
const createRevert = (name: string, args?: unknown[]): ContractRevertError => {
  const item = errors.find((error) => error.name === name);
  if (!item) throw new Error(name);
  const values = args ?? item.inputs.map(({ type }) => sample[type as keyof typeof sample]);
  return new ContractRevertError(encodeErrorResult({ abi: [item], errorName: name, args: values }) as Hex);
};

const statuses: Record<number, string[]> = {
  400: refusals.map(([name]) => name),
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
    'AccountNotAccepted',
  ],
  404: [
    'AccountDoesNotExist',
    'GroupDoesNotExist',
    'PkpDoesNotExist',
    'ActionDoesNotExist',
    'UsageApiKeyDoesNotExist',
  ],
  409: [
    'AccountAlreadyExists',
    'NoPendingTransfer',
    'NonceAlreadyUsed',
    'AccountIsManaged',
    'PkpAlreadyExists',
    'ActionAlreadyExists',
    'DerivationPathAlreadyRegistered',
    'AlreadyChainSecured',
  ],
  503: ['OnlyApiPayer', 'OnlyApiPayerOrOwner', 'ApiPayersAreFrozen', 'FunctionNotFound'],
};

test.each(errors.map(({ name }) => name))('%s', (name) => {
  const expected = Object.entries(statuses).find(([, names]) => names.includes(name))?.[0] ?? '500';
  expect(revertStatus(createRevert(name)).status).toBe(Number(expected));
});

test.each(refusals)('returns 400 with the reason for %s with %o', (name, args, reason) => {
  const { status, message } = revertStatus(createRevert(name, args));
  expect({ status, message }).toEqual({
    status: 400,
    message: `The contract refused the request: ${reason}.`,
  });
});

test('returns 409 for a second conversion', () => {
  const { status, message } = revertStatus(createRevert('AlreadyChainSecured'));
  expect({ status, message }).toEqual({ status: 409, message: 'The account is already ChainSecured.' });
});

describe('messages', () => {
  test("returns 401 when the account of the caller's own hash is unknown, 404 for another one", () => {
    expect(revertStatus(createRevert('AccountDoesNotExist', [7n]), 7n).status).toBe(401);
    expect(revertStatus(createRevert('AccountDoesNotExist', [7n]), 8n).status).toBe(404);
  });

  test.each([
    [createRevert('GroupDoesNotExist', [1n, 42n]), /group 42/],
    [createRevert('PkpDoesNotExist', [1n, 0n, WALLET]), /account has no wallet 0xf39F/],
    [createRevert('PkpDoesNotExist', [1n, 5n, WALLET]), /account has no wallet 0xf39F/],
    [createRevert('ActionDoesNotExist', [1n, 0n, 255n]), /account has no action 0x0{62}ff/],
    [createRevert('ActionDoesNotExist', [1n, 5n, 255n]), /group 5 has no action/],
    [createRevert('NotAllowedToAddPkpToGroup', [1n, 0n]), /every group/],
    [createRevert('NotAllowedToAddPkpToGroup', [1n, 3n]), /the group 3/],
  ])('%o', (revert, message) => {
    expect(revertStatus(revert).message).toMatch(message);
  });
});

test('returns 500 for a panic, a revert string and unknown bytes', () => {
  const panic = `0x4e487b71${'11'.padStart(64, '0')}`;
  const string = encodeErrorResult({
    abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string', name: 'text' }] }],
    args: ['text'],
  });
  for (const data of ['0x', '0xdeadbeef', panic, string] as Hex[])
    expect(revertStatus(new ContractRevertError(data)).status).toBe(500);
});
