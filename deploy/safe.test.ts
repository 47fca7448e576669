import { expect, test } from 'vitest';
import { checksum, transactionBuilderFile } from './safe.ts';

test('the checksum equals the one in a file that the Transaction Builder saved', () => {
  const batch = {
    version: '1.0',
    chainId: '1',
    createdAt: 1761326849944,
    meta: {
      name: 'Transactions Batch',
      description: '',
      txBuilderVersion: '1.18.2',
      createdFromSafeAddress: '0xA77DE01e157f9f57C7c4A326eeE9C4874D0598b6',
      createdFromOwnerAddress: '',
    },
    transactions: [
      {
        to: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        value: '0',
        data: null,
        contractMethod: {
          inputs: [
            { internalType: 'address', name: 'spender', type: 'address' },
            { internalType: 'uint256', name: 'value', type: 'uint256' },
          ],
          name: 'approve',
          payable: false,
        },
        contractInputsValues: {
          spender: '0x474e5Ded6b5D078163BFB8F6dBa355C3aA5478C8',
          value: '100000000000',
        },
      },
    ],
  };
  expect(checksum(batch)).toBe('0x8b5032f716845c8b08bab3d63dbd9ba92e056f3557793cd041e59b84e16aa989');
});

test('a file has its transactions and its checksum', () => {
  const to = '0xA77DE01e157f9f57C7c4A326eeE9C4874D0598b6';
  const file = JSON.parse(
    transactionBuilderFile({
      chainId: 8453,
      safe: to,
      name: 'name',
      description: '',
      createdAtMs: 1000,
      transactions: [{ to, data: '0x79ba5097' }],
    }),
  );
  const { checksum: found, ...meta } = file.meta;
  expect(found).toBe(checksum({ ...file, meta }));
  expect(file).toMatchObject({
    chainId: '8453',
    createdAt: 1000,
    transactions: [{ to, value: '0', data: '0x79ba5097' }],
  });
});
