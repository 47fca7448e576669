import { signHash } from '@latchkey/service/secp256k1';
import fc from 'fast-check';
import { type Hex, hexToBytes, keccak256, recoverAddress, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { ActionError } from './errors.ts';
import { callKeyOperation, type RunKeys } from './key-operation.ts';

const privateKey = `0x${'17'.repeat(32)}` as const;
const account = privateKeyToAccount(privateKey);
const pkpId = account.address;
const hashes: Hex[] = [];
const keys = {
  async signHashes({ hashes: asked }) {
    hashes.push(...asked);
    return asked.map((hash) => signHash(hash, hexToBytes(privateKey)));
  },
} satisfies Partial<RunKeys> as RunKeys;
type Operation = 'signMessage' | 'signTypedData' | 'signTransaction' | 'signHash';
/** As the process of an action sends it. */
const sign = (operation: Operation, args: object): Promise<string> => {
  const json = JSON.stringify({ pkpId, ...args }, (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  return callKeyOperation(keys, operation, JSON.parse(json));
};

const typed = {
  domain: { name: 'Payments', version: '1', chainId: 8453n, verifyingContract: pkpId },
  types: {
    Payment: [
      { name: 'to', type: 'address' },
      { name: 'amounts', type: 'uint256[]' },
      { name: 'memo', type: 'Memo' },
    ],
    Memo: [{ name: 'text', type: 'string' }],
  },
  primaryType: 'Payment',
  message: { to: pkpId, amounts: [2n ** 255n, 0n], memo: { text: 'größer' } },
} as const;

describe("signatures equal viem's", () => {
  test.each(['', 'hello', 'größer', '0x1234'])('of the message %j', async (message) => {
    expect(await sign('signMessage', { message })).toBe(await account.signMessage({ message }));
    const raw = toHex(message);
    expect(await sign('signMessage', { message: { raw } })).toBe(
      await account.signMessage({ message: { raw } }),
    );
  });

  test('of typed data, with and without the type of the domain', async () => {
    const expected = await account.signTypedData(typed);
    expect(await sign('signTypedData', typed)).toBe(expected);
    const EIP712Domain = ['name:string', 'version:string', 'chainId:uint256', 'verifyingContract:address']
      .map((field) => field.split(':'))
      .map(([name, type]) => ({ name, type }));
    expect(await sign('signTypedData', { ...typed, types: { ...typed.types, EIP712Domain } })).toBe(expected);
  });

  const fees = { maxFeePerGas: 20n, maxPriorityFeePerGas: 1n };
  const common = {
    to: pkpId,
    value: 10n ** 30n,
    gas: 21_000n,
    nonce: 7,
    chainId: 31_337,
    data: '0xabcd',
  } as const;
  const accessList = [{ address: pkpId, storageKeys: [`0x${'01'.repeat(32)}`] }] as const;
  test.each([
    ['legacy', { ...common, type: 'legacy', gasPrice: 5n }],
    ['EIP-2930', { ...common, type: 'eip2930', gasPrice: 5n, accessList }],
    ['EIP-1559', { ...common, ...fees, type: 'eip1559', accessList }],
    ['contract creation', { ...common, ...fees, type: 'eip1559', to: null }],
    ['empty', { type: 'eip1559', chainId: 1 }],
  ] as const)('of a transaction: %s', async (_, transaction) => {
    const expected = await account.signTransaction(transaction);
    expect(await sign('signTransaction', { transaction })).toBe(expected);
  });

  test('of a transaction without its type', async () => {
    const { type: _, ...legacy } = { ...common, type: 'legacy', gasPrice: 5n };
    expect(await sign('signTransaction', { transaction: legacy })).toBe(
      await account.signTransaction({ ...legacy, type: 'legacy' }),
    );
  });

  test('of a hash, in the lower half of the order, by the wallet', async () => {
    for (let i = 0; i < 20; i++) {
      const hash = keccak256(toHex(i));
      const signature = (await sign('signHash', { hash })) as Hex;
      expect(signature).toBe(await account.sign({ hash }));
      expect(await recoverAddress({ hash, signature })).toBe(pkpId);
      expect(BigInt(`0x${signature.slice(66, 130)}`)).toBeLessThan(2n ** 255n);
    }
  });
});

describe('hostile requests are refused before a key is asked for', () => {
  const cyclic = { A: [{ name: 'a', type: 'A' }] };
  const long = 'B'.repeat(2_000);
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
  test.each<[string, Operation, object, RegExp]>([
    ['no message', 'signMessage', {}, /^message is not text/],
    ['bytes that are not hex', 'signMessage', { message: { raw: '0x123' } }, /hex/],
    ['a short hash', 'signHash', { hash: '0x12' }, /^hash is not a hash/],
    ['a hash in an array', 'signHash', { hash: [`0x${'12'.repeat(32)}`] }, /^hash/],
    [
      'a malformed wallet',
      'signHash',
      { pkpId: '0x12', hash: `0x${'12'.repeat(32)}` },
      /^pkpId is not an address/,
    ],
    ['no chain id', 'signTransaction', { transaction: { gasPrice: 1 } }, /chainId/],
    ['the chain id 0', 'signTransaction', { transaction: { chainId: 0 } }, /valid on every chain/],
    ['a negative value', 'signTransaction', { transaction: { chainId: 1, value: -1 } }, /quantity/],
    [
      'a value of 257 bits',
      'signTransaction',
      { transaction: { chainId: 1, value: 2n ** 256n } },
      /256 bits/,
    ],
    ['a fractional value', 'signTransaction', { transaction: { chainId: 1, value: '1.5' } }, /quantity/],
    [
      'a wrong checksum',
      'signTransaction',
      { transaction: { chainId: 1, to: `0x${'aB'.repeat(20)}` } },
      /malformed transaction/,
    ],
    [
      'a tip above the fee',
      'signTransaction',
      { transaction: { chainId: 1, maxFeePerGas: 1, maxPriorityFeePerGas: 2 } },
      /malformed transaction/,
    ],
    ['a blob transaction', 'signTransaction', { transaction: { type: 'eip4844', chainId: 1 } }, /type/],
    ['an unknown field', 'signTransaction', { transaction: { chainId: 1, gasLimit: 5 } }, /gasLimit/],
    ['no primary type', 'signTypedData', { ...typed, primaryType: 'Other' }, /primary type Other/],
    [
      'the primary type constructor',
      'signTypedData',
      { ...typed, primaryType: 'constructor' },
      /primary type/,
    ],
    [
      'values that do not fit',
      'signTypedData',
      { ...typed, message: { ...typed.message, to: 'x' } },
      /malformed typed data/,
    ],
    [
      'a malformed number',
      'signTypedData',
      { ...typed, message: { ...typed.message, amounts: ['x'] } },
      /malformed typed data/,
    ],
    [
      'a type that contains itself',
      'signTypedData',
      { domain: {}, types: cyclic, primaryType: 'A', message: nested(2_000) },
      /malformed|characters/,
    ],
    [
      'large typed data',
      'signTypedData',
      { ...typed, message: { text: 'x'.repeat(70_000) } },
      /70\d\d\d characters/,
    ],
    [
      'many structs with long types',
      'signTypedData',
      {
        domain: {},
        types: { A: [{ name: 'b', type: `${long}[]` }], [long]: [] },
        primaryType: 'A',
        message: { b: Array(2_000).fill({}) },
      },
      /too many structs/,
    ],
    [
      'many structs with long types',
      'signTypedData',
      {
        domain: {},
        types: { A: [{ name: 'b', type: `${long}[]` }], [long]: [] },
        primaryType: 'A',
        message: { b: Array(2_000).fill({}) },
      },
      /too many structs/,
    ],
    ['an unknown part of the domain', 'signTypedData', { ...typed, domain: { chainid: 1 } }, /chainid/],
  ])('%s', async (_, operation, args, message) => {
    const before = hashes.length;
    await expect(sign(operation, args)).rejects.toMatchObject({
      constructor: ActionError,
      name: 'TypeError',
      message: expect.stringMatching(message),
    });
    expect(hashes).toHaveLength(before);
  });

  test('random transactions are signed as viem serializes them, or refused', async () => {
    const value = fc.oneof(
      fc.nat().map(BigInt),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.string(),
      fc.double(),
    );
    const transactions = fc.dictionary(
      fc.constantFrom('value', 'nonce', 'gas', 'gasPrice', 'to', 'data', 'maxFeePerGas'),
      value,
    );
    await fc.assert(
      fc.asyncProperty(transactions, async (fields) => {
        const signed = await sign('signTransaction', { transaction: { chainId: 1, ...fields } }).catch(
          (error) => error,
        );
        if (typeof signed !== 'string') expect(signed).toMatchObject({ name: 'TypeError' });
        else {
          const hash = hashes.at(-1) as Hex;
          const [signature] = await keys.signHashes({ pkpId, hashes: [hash] });
          expect(await recoverAddress({ hash, signature: signature as Hex })).toBe(pkpId);
        }
      }),
    );
  });
});
