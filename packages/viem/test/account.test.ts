/** viem's own ways of use with an account of the service, on the chain of the stack. */

import { buildCode, parsePolicy } from '@latchkey/policy';
import { cidOf } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import { chain, client, post, stack } from '@latchkey/testing/stack';
import { newWalletKey, numberAbi, numberBytecode, standardCids } from '@latchkey/testing/wallet-key';
import { loadKZG } from 'kzg-wasm';
import {
  type Address,
  bytesToHex,
  concat,
  createWalletClient,
  defineKzg,
  encodeFunctionData,
  fromRlp,
  type Hex,
  hexToBigInt,
  hexToBytes,
  http,
  keccak256,
  parseEther,
  parseTransaction,
  recoverAddress,
  serializeTransaction,
  stringToHex,
  toBlobs,
  verifyMessage,
  verifyTypedData,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { recoverAuthorizationAddress } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { toLatchkeyAccount } from '../src/index.ts';
import { accountOf, newWalletClient } from './wallets.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
/** More than a number of JavaScript can have. */
const LARGE_CHAIN_ID = 2n ** 53n + 11n;

const { wallet, walletAddress: address } = await newWalletClient();

/** Waits until a transaction is mined, and returns it. */
async function mined(hash: Hex) {
  const receipt = await client.waitForTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: 'success', from: address.toLowerCase() });
  return { receipt, transaction: await client.getTransaction({ hash }) };
}

const typedData = (chainId: bigint) =>
  ({
    domain: { name: 'Orders', version: '1', chainId, verifyingContract: TO },
    types: {
      Order: [
        { name: 'items', type: 'Item[]' },
        { name: 'expiry', type: 'int256' },
        { name: 'note', type: 'string' },
      ],
      Item: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
        { name: 'data', type: 'bytes' },
      ],
    },
    primaryType: 'Order',
    message: { items: [{ token: TO, amount: 2n ** 255n, data: '0x0102' }], expiry: -5n, note: 'déjà vu' },
  }) as const;

describe('signs', () => {
  test.each([
    ['text', 'hello, wörld'],
    ['hex', { raw: '0x00ff80' as Hex }],
    ['bytes', { raw: Uint8Array.of(0, 255, 128) }],
  ])('a message of %s', async (_form, message) => {
    const signature = await wallet.signMessage({ message });
    expect(await verifyMessage({ address, message, signature })).toBe(true);
  });

  test.each([[BigInt(stack.chainId)], [LARGE_CHAIN_ID]])('typed data of chain %i', async (chainId) => {
    const signature = await wallet.signTypedData(typedData(chainId));
    expect(await verifyTypedData({ address, signature, ...typedData(chainId) })).toBe(true);
  });

  test('typed data with the type of its domain', async () => {
    const data = typedData(1n);
    const EIP712Domain = [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ];
    const signature = await wallet.signTypedData({
      ...data,
      types: { EIP712Domain, ...data.types },
    } as never);
    expect(await verifyTypedData({ address, signature, ...data })).toBe(true);
  });

  test('a hash', async () => {
    const hash = keccak256('0x01');
    expect(await recoverAddress({ hash, signature: await wallet.account.sign({ hash }) })).toBe(address);
  });

  test('a transaction with a chain id above 2^53', async () => {
    const transaction = { chainId: LARGE_CHAIN_ID as never, type: 'eip1559', to: TO, value: 1n } as const;
    const serialized = await wallet.account.signTransaction(transaction);
    const fields = fromRlp(`0x${serialized.slice(4)}`) as Hex[];
    expect(hexToBigInt(fields[0] as Hex)).toBe(LARGE_CHAIN_ID);
    const [yParity, r, s] = fields.slice(-3) as [Hex, Hex, Hex];
    const signature = { r, s, yParity: yParity === '0x01' ? 1 : 0 };
    const hash = keccak256(serializeTransaction(transaction));
    expect(await recoverAddress({ hash, signature })).toBe(address);
  });

  test('by the hash what the serializer of a chain adds', async () => {
    const serializer = ((transaction: object, signature?: never) =>
      concat([serializeTransaction(transaction as never, signature), '0xcafe'])) as never;
    const transaction = { chainId: 1, type: 'eip1559', to: TO } as const;
    const serialized = await wallet.account.signTransaction(transaction as never, { serializer });
    expect(serialized.endsWith('cafe')).toBe(true);
    const { r, s, yParity } = parseTransaction(serialized.slice(0, -4) as never) as never;
    const hash = keccak256(concat([serializeTransaction(transaction), '0xcafe']));
    expect(await recoverAddress({ hash, signature: { r, s, yParity } })).toBe(address);
  });

  test.each([
    [stack.chainId, 3],
    [0, 0],
    [LARGE_CHAIN_ID as never, 1],
  ])('an authorization for chain %i', async (chainId, nonce) => {
    const authorization = await wallet.account.signAuthorization({ address: TO, chainId, nonce });
    expect(authorization).toMatchObject({ address: TO, chainId, nonce });
    expect(await recoverAuthorizationAddress({ authorization })).toBe(address);
  });
});

describe('sends', () => {
  test('ether', async () => {
    const to = privateKeyToAddress(generatePrivateKey());
    const { transaction } = await mined(await wallet.sendTransaction({ to, value: 5n }));
    expect(transaction).toMatchObject({ type: 'eip1559', value: 5n });
    expect(await client.getBalance({ address: to })).toBe(5n);
  });

  test.each([
    ['legacy', { gasPrice: parseEther('0.00000001') }],
    [
      'eip2930',
      { gasPrice: parseEther('0.00000001'), accessList: [{ address: TO, storageKeys: [keccak256('0x')] }] },
    ],
    ['eip1559', { accessList: [{ address: TO, storageKeys: [] }] }],
  ] as const)('a transaction of type %s, with its fees and its access list', async (type, fields) => {
    const { transaction } = await mined(await wallet.sendTransaction({ type, to: TO, ...fields } as never));
    expect(transaction.type).toBe(type);
    if (type !== 'legacy')
      expect(transaction.accessList).toMatchObject([{ storageKeys: fields.accessList[0].storageKeys }]);
  });

  test('a deployment, a write and a read of a contract', async () => {
    const { receipt } = await mined(
      await wallet.deployContract({ abi: numberAbi, bytecode: numberBytecode }),
    );
    const contract = { address: receipt.contractAddress as Address, abi: numberAbi };
    await mined(await wallet.writeContract({ ...contract, functionName: 'set', args: [42n] }));
    expect(await client.readContract({ ...contract, functionName: 'get' })).toBe(42n);
  });

  test('an authorization by which the wallet has the code of a contract (EIP-7702)', async () => {
    const deployed = await mined(await wallet.deployContract({ abi: numberAbi, bytecode: numberBytecode }));
    const contractAddress = deployed.receipt.contractAddress as Address;
    const authorization = await wallet.signAuthorization({ contractAddress, executor: 'self' });
    const data = encodeFunctionData({ abi: numberAbi, functionName: 'set', args: [7n] });
    const sent = await wallet.sendTransaction({ authorizationList: [authorization], to: address, data });
    expect((await mined(sent)).transaction.type).toBe('eip7702');
    expect(await client.getCode({ address })).toBe(concat(['0xef0100', contractAddress]).toLowerCase());
    expect(await client.readContract({ address, abi: numberAbi, functionName: 'get' })).toBe(7n);
  });

  test('a blob transaction', async () => {
    const { blobToKZGCommitment, computeBlobKZGProof } = await loadKZG();
    const hexOf = (bytes: Uint8Array) => bytesToHex(bytes);
    const kzg = defineKzg({
      blobToKzgCommitment: (blob) => hexToBytes(blobToKZGCommitment(hexOf(blob)) as Hex),
      computeBlobKzgProof: (blob, commitment) =>
        hexToBytes(computeBlobKZGProof(hexOf(blob), hexOf(commitment)) as Hex),
    });
    const blobs = toBlobs({ data: stringToHex('a blob') });
    const hash = await wallet.sendTransaction({
      blobs,
      kzg,
      to: TO,
      maxFeePerBlobGas: parseEther('0.000001'),
    });
    const { transaction } = await mined(hash);
    expect(transaction).toMatchObject({
      type: 'eip4844',
      blobVersionedHashes: [expect.stringMatching(/^0x01/)],
    });
  }, 240_000);

  test('by the service, which assigns nonces to concurrent sends', async () => {
    const sends = [1n, 2n, 3n].map((value) =>
      wallet.account.sendTransaction({ chainId: stack.chainId, to: TO, value }),
    );
    const transactions = await Promise.all(sends.map(async (sent) => (await mined(await sent)).transaction));
    expect(new Set(transactions.map(({ nonce }) => nonce)).size).toBe(3);
  });
});

test.each([
  ['by an error of its code', `throw new TypeError('the code ended');`],
  ['without the hash', 'return {};'],
])('says that the transaction may have been sent when the run ends %s after the send', async (_how, end) => {
  const code = `async function main({ pkpId, transaction }) {
    await Svc.Actions.sendTransaction({ ...transaction, pkpId });
    ${end}
  }`;
  const key = await newWalletKey([await cidOf(code), standardCids['use-wallet.js'] as string]);
  const transaction = { chainId: stack.chainId, to: TO, value: 1n } as const;
  const sent = accountOf(key, { code }).sendTransaction(transaction);
  const error = await sent.catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 4900 });
  const [, idempotencyKey] = /idempotencyKey: '(\w+)'/.exec(String(error)) ?? [];
  const hash = await accountOf(key).sendTransaction({ ...transaction, idempotencyKey });
  await client.waitForTransactionReceipt({ hash });
  expect(await client.getTransactionCount({ address: key.walletAddress })).toBe(1);
});

describe('refuses', () => {
  test('a usage key without the permission for the action, and names the fix', async () => {
    const account = accountOf(await newWalletKey([await cidOf('const main = () => 1')]));
    await expect(account.signMessage({ message: 'hello' })).rejects.toMatchObject({
      code: 4100,
      message: expect.stringContaining(standardCids['use-wallet.js'] as string),
    });
  });

  test('a wallet that the key may not use', async () => {
    const { usageKey } = await newWalletKey();
    const account = accountOf({ ...(await newWalletKey()), usageKey });
    await expect(account.signMessage({ message: 'hello' })).rejects.toMatchObject({
      code: 4100,
      message: expect.stringContaining('WalletNotPermittedError'),
    });
  });

  test('a removed key', async () => {
    const key = await newWalletKey();
    const account = accountOf(key);
    await account.signMessage({ message: 'hello' });
    await post('remove_usage_api_key', { usage_api_key: key.usageKey }, key.account.key);
    await expect(account.signMessage({ message: 'hello' })).rejects.toMatchObject({ code: 4100 });
    await expect(account.sendTransaction({ chainId: stack.chainId, to: TO })).rejects.toMatchObject({
      code: 4100,
    });
  });

  test('a wrong chain: viem, the node, and the service', async () => {
    const transaction = { to: TO, nonce: 0, gas: 21_000n, maxFeePerGas: parseEther('0.00000001') } as const;
    const other = { ...chain, id: 5 };
    await expect(wallet.signTransaction({ ...transaction, chain: other })).rejects.toThrow(/does not match/);
    const serializedTransaction = await wallet.account.signTransaction({ ...transaction, chainId: 5 });
    await expect(client.sendRawTransaction({ serializedTransaction })).rejects.toThrow(/chain/i);
    await expect(wallet.account.sendTransaction({ chainId: 5, to: TO })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('does not serve chain 5'),
    });
  });

  test('a signature that is not that of the request', async () => {
    const code = `async function main({ pkpId }) {
      return { signature: await Svc.Actions.signMessage({ pkpId, message: 'other' }) };
    }`;
    const account = accountOf(await newWalletKey([await cidOf(code)]), { code });
    await expect(account.signMessage({ message: 'other' })).resolves.toMatch(/^0x/);
    await expect(account.signMessage({ message: 'hello' })).rejects.toThrow(/did not return a signature/);
    await expect(account.signTransaction({ chainId: 1, type: 'eip1559', to: TO })).rejects.toThrow(
      /did not return a signature/,
    );
  });

  test('what a policy does not allow, with its reason, also in the errors of viem', async () => {
    const code = buildCode(
      parsePolicy({
        version: 1,
        rules: [
          { name: 'hello', effect: 'allow', kind: 'message', text: { equals: 'hello' } },
          {
            name: 'pay',
            effect: 'allow',
            kind: 'transaction',
            chains: [stack.chainId],
            to: [TO],
            value: { max: '5' },
            fee: 'any',
          },
        ],
      }),
    );
    const account = accountOf(await newWalletKey([await cidOf(code)]), { code });
    const client = createWalletClient({ account, chain, transport: http(stack.rpcUrl) });
    expect(await client.signMessage({ message: 'hello' })).toMatch(/^0x/);
    await expect(client.signMessage({ message: 'goodbye' })).rejects.toMatchObject({
      code: 4001,
      message: expect.stringContaining('PolicyError'),
    });
    expect(await client.sendTransaction({ to: TO, value: 5n })).toMatch(/^0x/);
    await expect(client.sendTransaction({ to: TO, value: 6n })).rejects.toThrow(/PolicyError: .*value/);
    expect(await account.sendTransaction({ chainId: stack.chainId, to: TO, value: 1n })).toMatch(/^0x/);
    await expect(account.signAuthorization({ address: TO, chainId: 1, nonce: 0 })).rejects.toThrow(
      /PolicyError/,
    );
  });

  test('a client without a key', async () => {
    const account = toLatchkeyAccount({ client: createClient({ url: stack.url }), walletAddress: address });
    await expect(account.signMessage({ message: 'hello' })).rejects.toThrow(/requires a usage key/);
  });
});
