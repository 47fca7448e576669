/** ethers' own ways of use, in versions 6 and 5, with a signer of the service on the chain of the stack. */

import { foundryBinary } from '@latchkey/foundry';
import { cidOf } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import { end, start } from '@latchkey/testing/processes';
import { chain, post, stack, testClient } from '@latchkey/testing/stack';
import { freePort, until } from '@latchkey/testing/until';
import { newWalletKey, numberBytecode, numberSignatures, type WalletKey } from '@latchkey/testing/wallet-key';
import { toLatchkeyAccount } from '@latchkey/viem';
import { createProvider } from '@latchkey/viem/provider';
import {
  BrowserProvider,
  ContractFactory,
  getBytes,
  hexlify,
  JsonRpcProvider,
  keccak256,
  parseEther,
  Transaction,
  verifyAuthorization,
  verifyMessage,
  verifyTypedData,
} from 'ethers';
import { ContractFactory as ContractFactory5, providers, utils } from 'ethers5';
import { loadKZG } from 'kzg-wasm';
import { http } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LatchkeySigner } from '../src/index.ts';
import { LatchkeySigner as LatchkeySigner5 } from '../src/v5.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const abi = [...numberSignatures];
const domain = { name: 'Mail', version: '1', chainId: 1n, verifyingContract: TO };
const types = {
  Mail: [
    { name: 'to', type: 'Person' },
    { name: 'amounts', type: 'uint256[]' },
  ],
  Person: [{ name: 'wallet', type: 'address' }],
};
const mail = { to: { wallet: TO }, amounts: [2n ** 255n, 1n] };

const parametersOf = ({ usageKey, walletAddress }: WalletKey) => ({
  client: createClient({ url: stack.url, apiKey: usageKey }),
  walletAddress,
});

const key = await newWalletKey();
const parameters = parametersOf(key);

describe('version 6', () => {
  const provider = new JsonRpcProvider(stack.rpcUrl, stack.chainId, { polling: true, cacheTimeout: -1 });
  provider.pollingInterval = 50;
  let signer: LatchkeySigner;
  beforeAll(() => {
    signer = new LatchkeySigner(parameters).connect(provider);
  });
  afterAll(() => provider.destroy());

  test('signs messages and typed data', async () => {
    for (const message of ['hello', getBytes('0x00ff')])
      expect(verifyMessage(message, await signer.signMessage(message))).toBe(key.walletAddress);
    for (const chainId of [1n, 2n ** 60n]) {
      const signature = await signer.signTypedData({ ...domain, chainId }, types, mail);
      expect(verifyTypedData({ ...domain, chainId }, types, mail, signature)).toBe(key.walletAddress);
    }
  });

  test.each([
    ['ether', {}],
    ['a legacy transaction', { type: 0 }],
    ['an access list', { type: 1, accessList: [{ address: TO, storageKeys: [keccak256('0x')] }] }],
    ['an access list with fees of EIP-1559', { type: 2, accessList: { [TO]: [] } }],
  ])('sends %s', async (_what, fields) => {
    const sent = await signer.sendTransaction({ to: TO, value: 1n, ...fields });
    expect(sent.type).toBe('type' in fields ? fields.type : 2);
    expect(await sent.wait()).toMatchObject({ status: 1, from: key.walletAddress });
  });

  test('deploys and calls a contract, and gives it to the wallet by an authorization (EIP-7702)', async () => {
    const deployed = await new ContractFactory(abi, numberBytecode, signer).deploy();
    const contract = await deployed.waitForDeployment();
    await (await contract.getFunction('set').send(42n)).wait();
    expect(await contract.getFunction('get')()).toBe(42n);

    const address = await contract.getAddress();
    // The transaction uses the nonce before that of the authorization.
    const nonce = (await signer.getNonce()) + 1;
    const authorization = await signer.authorize({ address, nonce });
    expect(verifyAuthorization(authorization, authorization.signature)).toBe(key.walletAddress);
    const sent = await signer.sendTransaction({
      type: 4,
      to: key.walletAddress,
      data: contract.interface.encodeFunctionData('set', [7n]),
      authorizationList: [authorization],
    });
    expect(await sent.wait()).toMatchObject({ status: 1 });
    expect(await provider.getCode(key.walletAddress)).toBe(`0xef0100${address.slice(2).toLowerCase()}`);
    const large = await signer.authorize({ address: TO, nonce: 1, chainId: 2n ** 60n });
    expect(verifyAuthorization(large, large.signature)).toBe(key.walletAddress);
  });

  test('sends a blob transaction', async () => {
    const kzg = (await loadKZG()) as never;
    const blob = new Uint8Array(131_072).fill(1, 1, 8);
    const sent = await signer.sendTransaction({
      type: 3,
      to: TO,
      kzg,
      blobs: [blob],
      maxFeePerBlobGas: 10n ** 12n,
    });
    expect(await sent.wait()).toMatchObject({ status: 1 });
    expect((await provider.getTransaction(sent.hash))?.blobVersionedHashes).toHaveLength(1);
  }, 240_000);

  test('sends on a chain whose id is above 2^53', async () => {
    const chainId = 2n ** 53n + 11n;
    const port = await freePort();
    const { child } = start(foundryBinary('anvil'), [
      '--port',
      String(port),
      '--silent',
      '--chain-id',
      String(chainId),
    ]);
    const large = new JsonRpcProvider(`http://127.0.0.1:${port}`, chainId, { staticNetwork: true });
    try {
      await until('anvil answers', async () => BigInt(await large.send('eth_chainId', [])) === chainId);
      await large.send('anvil_setBalance', [key.walletAddress, hexlify('0x0de0b6b3a7640000')]);
      const sent = await signer.connect(large).sendTransaction({ to: TO, value: 1n });
      expect(sent.chainId).toBe(chainId);
      expect(await sent.wait()).toMatchObject({ status: 1, from: key.walletAddress });
    } finally {
      large.destroy();
      await end(child, 'SIGKILL');
    }
  });

  test('refuses the sender of another account', async () => {
    await expect(signer.sendTransaction({ to: TO, from: TO })).rejects.toThrow(/from/);
    await expect(signer.signTransaction({ to: TO, from: TO, chainId: 1 })).rejects.toThrow(/the wallet is/);
  });

  test('signs without a provider', async () => {
    const signed = await signer
      .connect(null)
      .signTransaction({ to: TO, chainId: 1, nonce: 3, gasLimit: 21_000 });
    expect(Transaction.from(signed)).toMatchObject({ from: key.walletAddress, nonce: 3, chainId: 1n });
  });

  test('is refused by the chain when it is another one', async () => {
    const wrong = signer.signTransaction({
      to: TO,
      chainId: 5,
      nonce: 0,
      gasLimit: 21_000,
      gasPrice: 10n ** 10n,
    });
    await expect(provider.broadcastTransaction(await wrong)).rejects.toThrow(/chain/i);
  });

  test('names why a key is refused', async () => {
    const other = await newWalletKey([await cidOf('const main = () => 1')]);
    const refused = { name: 'WalletRequestError', code: 4100 };
    await expect(new LatchkeySigner(parametersOf(other)).signMessage('hello')).rejects.toMatchObject(refused);
    const removed = await newWalletKey();
    await post('remove_usage_api_key', { usage_api_key: removed.usageKey }, removed.account.key);
    const sender = new LatchkeySigner(parametersOf(removed), provider);
    await testClient.setBalance({ address: removed.walletAddress, value: parseEther('1') });
    await expect(sender.sendTransaction({ to: TO })).rejects.toMatchObject(refused);
  });

  test('takes the EIP-1193 provider as a BrowserProvider', async () => {
    const account = toLatchkeyAccount(parameters);
    const transports = { [chain.id]: http(stack.rpcUrl) };
    const browser = new BrowserProvider(createProvider({ account, chains: [chain], transports }));
    const page = await browser.getSigner();
    expect(verifyMessage('hello', await page.signMessage('hello'))).toBe(key.walletAddress);
    const own = { ...domain, chainId: chain.id };
    expect(verifyTypedData(own, types, mail, await page.signTypedData(own, types, mail))).toBe(
      key.walletAddress,
    );
    expect(await (await page.sendTransaction({ to: TO, value: 1n })).wait()).toMatchObject({ status: 1 });
    browser.destroy();
  });
});

describe('version 5', () => {
  const provider = new providers.StaticJsonRpcProvider(stack.rpcUrl, stack.chainId);
  provider.pollingInterval = 50;
  let signer: LatchkeySigner5;
  beforeAll(() => {
    signer = new LatchkeySigner5(parameters).connect(provider);
  });

  test('signs messages and typed data', async () => {
    for (const message of ['hello', utils.arrayify('0x00ff')])
      expect(utils.verifyMessage(message, await signer.signMessage(message))).toBe(key.walletAddress);
    const signature = await signer._signTypedData({ ...domain, chainId: 1 }, types, mail);
    expect(utils.verifyTypedData({ ...domain, chainId: 1 }, types, mail, signature)).toBe(key.walletAddress);
  });

  test.each([
    ['ether', {}],
    ['a legacy transaction', { type: 0 }],
    ['an access list', { type: 1, accessList: [{ address: TO, storageKeys: [] }] }],
  ])('sends %s', async (_what, fields) => {
    const sent = await signer.sendTransaction({ to: TO, value: 1, ...fields });
    expect(await sent.wait()).toMatchObject({ status: 1, from: key.walletAddress });
  });

  test('deploys and calls a contract', async () => {
    const contract = await new ContractFactory5(abi, numberBytecode, signer).deploy();
    await contract.deployed();
    await (await contract.functions.set?.(42))?.wait();
    expect(String(await contract.functions.get?.())).toBe('42');
  });

  test('refuses the sender of another account', async () => {
    await expect(signer.signTransaction({ to: TO, from: TO, chainId: 1 })).rejects.toThrow(/the wallet is/);
  });
});
