import {
  encodeAbiParameters,
  encodePacked,
  type Hex,
  hashTypedData,
  keccak256,
  recoverAddress,
  toHex,
} from 'viem';
import { expect, test } from 'vitest';
import vector from '../vectors/run-receipt.json' with { type: 'json' };
import { buildRunReceipt, paramsHash, type RunReceipt, responseHash } from './run-receipt.ts';

const { message } = vector;
const receipt = {
  ...message,
  cidHash: BigInt(message.cidHash),
  usageKeyHash: BigInt(message.usageKeyHash),
  durationMs: BigInt(message.durationMs),
  blockNumber: BigInt(message.blockNumber),
} as RunReceipt;
const deployment = { chainId: vector.chainId, contractAddress: vector.contractAddress as Hex };

test('the digest equals EIP-712 computed step by step', () => {
  const hashOf = (text: string) => keccak256(toHex(text));
  const domain = keccak256(
    encodeAbiParameters(
      [
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'uint256' },
        { type: 'address' },
      ],
      [
        hashOf('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
        hashOf('Service ChainSecured'),
        hashOf('1'),
        BigInt(deployment.chainId),
        deployment.contractAddress,
      ],
    ),
  );
  const type =
    'RunReceipt(bytes16 runId,uint256 cidHash,uint256 usageKeyHash,bytes32 paramsHash,bytes32 responseHash,bool succeeded,address[] wallets,uint64 durationMs,uint64 blockNumber)';
  const struct = keccak256(
    encodeAbiParameters(
      [
        'bytes32',
        'bytes16',
        'uint256',
        'uint256',
        'bytes32',
        'bytes32',
        'bool',
        'bytes32',
        'uint64',
        'uint64',
      ].map((name) => ({ type: name })),
      [
        hashOf(type),
        receipt.runId,
        receipt.cidHash,
        receipt.usageKeyHash,
        receipt.paramsHash,
        receipt.responseHash,
        receipt.succeeded,
        keccak256(encodePacked(['address[]'], [receipt.wallets])),
        receipt.durationMs,
        receipt.blockNumber,
      ],
    ),
  );
  const digest = keccak256(encodePacked(['bytes2', 'bytes32', 'bytes32'], ['0x1901', domain, struct]));
  expect(digest).toBe(vector.digest);
  expect(hashTypedData(buildRunReceipt(receipt, deployment))).toBe(vector.digest);
});

test('the signature of the vector is of its signer', async () => {
  const hash = vector.digest as Hex;
  expect(await recoverAddress({ hash, signature: vector.signature as Hex })).toBe(vector.signer);
});

test('parameters and responses are hashed as text', () => {
  expect(paramsHash({ pair: 'ETH/USD' })).toBe(message.paramsHash);
  expect(responseHash(vector.result)).toBe(message.responseHash);
  const empty = '0x44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'; // of {}
  expect([paramsHash(undefined), paramsHash(null), paramsHash({})]).toEqual([empty, empty, empty]);
  expect(responseHash('5')).toBe(responseHash(5));
  expect(responseHash({ a: 1, b: 2 })).not.toBe(responseHash({ b: 2, a: 1 }));
});
