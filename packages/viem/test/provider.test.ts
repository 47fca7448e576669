/** The EIP-1193 provider with clients of viem, its announcement to pages, and the connector in a configuration of wagmi. */
import { createClient } from '@latchkey/sdk';
import { chain, client, stack } from '@latchkey/testing/stack';
import { newWalletKey, numberAbi, numberBytecode } from '@latchkey/testing/wallet-key';
import {
  connect,
  createConfig,
  disconnect,
  getAccount,
  sendTransaction,
  signMessage,
  signTypedData,
  switchChain,
  waitForTransactionReceipt,
} from '@wagmi/core';
import {
  type Address,
  createWalletClient,
  custom,
  getAddress,
  type Hex,
  http,
  keccak256,
  numberToHex,
  parseTransaction,
  publicActions,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LatchkeyAccount, toLatchkeyAccount } from '../src/index.ts';
import { announceProvider, createProvider, type LatchkeyProvider } from '../src/provider.ts';
import { latchkey } from '../src/wagmi.ts';
import { accountOf } from './wallets.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const other = { ...chain, id: 5, name: 'Other' };
const transports = { [chain.id]: http(stack.rpcUrl), 5: http(stack.rpcUrl) };
const typedData = {
  domain: { name: 'Payments', chainId: chain.id },
  types: { Payment: [{ name: 'amount', type: 'uint256' }] },
  primaryType: 'Payment',
  message: { amount: 2n ** 100n },
} as const;
/** Typed data as JSON, with this text as the chain id and the amount. */
const typedDataOf = (chainId: number | string, amount: string): string =>
  `{"domain":{"name":"Payments","chainId":${chainId}},"primaryType":"Payment","message":{"amount":${amount}},` +
  `"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"}],` +
  `"Payment":[{"name":"amount","type":"uint256"}]}}`;

let account: LatchkeyAccount;
let address: Address;
let provider: LatchkeyProvider;
/** Transactions that went through the service. */
let served: unknown[];
beforeAll(async () => {
  const own = accountOf(await newWalletKey());
  served = [];
  account = {
    ...own,
    sendTransaction: (transaction) => {
      served.push(transaction);
      return own.sendTransaction(transaction);
    },
  };
  address = account.address;
  provider = createProvider({ account, chains: [chain, other], transports });
});

const request = (method: string, ...params: unknown[]): Promise<unknown> =>
  provider.request({ method, params } as never);
const mined = async (hash: unknown) => {
  const receipt = await client.waitForTransactionReceipt({ hash: hash as Hex });
  expect(receipt.status).toBe('success');
  return { receipt, transaction: await client.getTransaction({ hash: receipt.transactionHash }) };
};

describe('the provider', () => {
  test('has the account, the chain and the answers of the node', async () => {
    expect(await request('eth_requestAccounts')).toEqual([address]);
    expect(await request('eth_accounts')).toEqual([address]);
    expect([await request('eth_chainId'), await request('net_version')]).toEqual([
      numberToHex(chain.id),
      String(chain.id),
    ]);
    expect(BigInt((await request('eth_getBalance', address, 'latest')) as Hex)).toBeGreaterThan(0n);
  });

  test('runs the functions of a wallet client', async () => {
    const wallet = createWalletClient({ account: address, chain, transport: custom(provider) }).extend(
      publicActions,
    );
    const message = { raw: '0x00ff' } as const;
    expect(await verifyMessage({ address, message, signature: await wallet.signMessage({ message }) })).toBe(
      true,
    );
    const signature = await wallet.signTypedData(typedData);
    expect(await verifyTypedData({ address, signature, ...typedData })).toBe(true);

    const { receipt } = await mined(
      await wallet.deployContract({ abi: numberAbi, bytecode: numberBytecode }),
    );
    const contract = { address: receipt.contractAddress as Address, abi: numberAbi };
    await mined(await wallet.writeContract({ ...contract, functionName: 'set', args: [9n] }));
    expect(await wallet.readContract({ ...contract, functionName: 'get' })).toBe(9n);
    expect(served).toMatchObject([{ to: null }, { to: getAddress(contract.address) }]);
  });

  test.each([
    ['a nonce', async () => ({ nonce: numberToHex(await client.getTransactionCount({ address })) })],
    ['a gas price', async () => ({ gasPrice: numberToHex(10n ** 10n) })],
    ['a priority fee', async () => ({ maxPriorityFeePerGas: '0x1', maxFeePerGas: numberToHex(10n ** 10n) })],
    ['an access list', async () => ({ accessList: [{ address: TO, storageKeys: [] }], type: '0x2' })],
  ])('signs and sends itself a transaction with %s', async (_what, fields) => {
    served.length = 0;
    const sent = { from: address.toLowerCase(), to: TO, value: '0x2', ...(await fields()) };
    const { transaction } = await mined(await request('eth_sendTransaction', sent));
    expect(transaction).toMatchObject({ from: address.toLowerCase(), value: 2n });
    expect(served).toEqual([]);
  });

  test('signs and sends itself on a chain that the service does not serve', async () => {
    const own = createProvider({ account, chains: [chain], transports, serviceChainIds: [] });
    served.length = 0;
    await mined(
      await own.request({ method: 'eth_sendTransaction', params: [{ to: TO, value: '0x1' }] } as never),
    );
    expect(served).toEqual([]);
  });

  /** Returns a provider that sends by a node of which some methods answer otherwise. */
  const withNode = (answers: Record<string, (params: unknown) => unknown>) => {
    const node = custom({
      request: async ({ method, params }) =>
        answers[method] ? answers[method](params) : client.request({ method, params } as never),
    });
    return createProvider({
      account,
      chains: [chain],
      transports: { [chain.id]: node },
      serviceChainIds: [],
    });
  };

  test('signs for its chain when the node fills in another one', async () => {
    const raw: Hex[] = [];
    const lying = withNode({
      eth_fillTransaction: async (params) => {
        const [{ to, value }] = params as [{ to: Address; value: Hex }];
        const nonce = numberToHex(await client.getTransactionCount({ address }));
        const fees = { gas: '0x5208', maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x1' };
        return { raw: '0x', tx: { type: '0x2', chainId: '0x1', to, value, nonce, input: '0x', ...fees } };
      },
      eth_sendRawTransaction: (params) => {
        raw.push(...(params as [Hex]));
        return client.request({ method: 'eth_sendRawTransaction', params: params as [Hex] });
      },
    });
    await mined(await lying.request({ method: 'eth_sendTransaction', params: [{ to: TO, value: '0x7' }] }));
    expect(raw.map((signed) => parseTransaction(signed))).toMatchObject([{ chainId: chain.id, value: 7n }]);
  });

  test.each([
    ['is lost', { code: 4900 }, new Error('the connection was closed')],
    ['refuses it', { code: -32000 }, Object.assign(new Error('nonce too low'), { code: -32_000 })],
  ])('sends once when the reply of the node %s', async (_what, expected, failure) => {
    const raw: Hex[] = [];
    const failing = withNode({
      eth_sendRawTransaction: (params) => {
        raw.push(...(params as [Hex]));
        throw failure;
      },
    });
    const wallet = createWalletClient({ transport: custom(failing) });
    const sent = wallet.request({
      method: 'eth_sendTransaction',
      params: [{ from: address, to: TO, gasPrice: '0x2540be400' }],
    });
    const error = await sent.catch((caught: unknown) => caught);
    expect(error).toMatchObject(expected);
    expect(raw).toHaveLength(1);
    if (expected.code === 4900) expect(String(error)).toContain(keccak256(raw[0] as Hex));
  });

  test('does not repeat a send by the service whose reply was lost, and names its key', async () => {
    const key = await newWalletKey();
    let runs = 0;
    const losing: typeof fetch = async (...given) => {
      await fetch(...given);
      runs += 1;
      throw new TypeError('the connection was closed');
    };
    const losingClient = createClient({ url: stack.url, apiKey: key.usageKey, fetch: losing, retries: 0 });
    const lost = toLatchkeyAccount({ client: losingClient, walletAddress: key.walletAddress });
    const own = createProvider({ account: lost, chains: [chain], transports });
    const wallet = createWalletClient({ transport: custom(own) });
    const fields = { to: TO, value: '0x1' } as const;
    const sent = wallet.request({ method: 'eth_sendTransaction', params: [fields] });
    const error = await sent.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 4900, message: expect.stringContaining('may have been sent') });
    expect(runs).toBe(1);
    const [, idempotencyKey] = /idempotencyKey: '(\w+)'/.exec(String(error)) ?? [];
    const again = await accountOf(key).sendTransaction({
      chainId: chain.id,
      to: TO,
      value: 1n,
      idempotencyKey,
    });
    await client.waitForTransactionReceipt({ hash: again });
    expect(await client.getTransactionCount({ address: key.walletAddress })).toBe(1);
  });

  test('signs a transaction with the nonce and the fees of the chain', async () => {
    const signed = (await request('eth_signTransaction', { to: TO, value: '0x3' })) as never;
    expect(await recoverTransactionAddress({ serializedTransaction: signed })).toBe(address);
    const nonce = await client.getTransactionCount({ address });
    expect(parseTransaction(signed)).toMatchObject({ chainId: chain.id, value: 3n, nonce });
  });

  test('switches the chain and emits chainChanged', async () => {
    const changes: string[] = [];
    const listener = (chainId: string) => void changes.push(chainId);
    provider.on('chainChanged', listener);
    await request('wallet_switchEthereumChain', { chainId: '0x5' });
    expect(await request('eth_chainId')).toBe('0x5');
    await expect(request('eth_sendTransaction', { to: TO })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('does not serve chain 5'),
    });
    await expect(
      request('eth_sendTransaction', { to: TO, chainId: numberToHex(chain.id) }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('the provider is on chain 5') });
    // The node of this transport is on another chain.
    await expect(
      request('eth_sendTransaction', { to: TO, gasPrice: numberToHex(10n ** 10n) }),
    ).rejects.toThrow(/chain/i);
    await request('wallet_switchEthereumChain', { chainId: numberToHex(chain.id) });
    provider.removeListener('chainChanged', listener);
    await request('wallet_switchEthereumChain', { chainId: '0x5' });
    await request('wallet_switchEthereumChain', { chainId: numberToHex(chain.id) });
    expect(changes).toEqual(['0x5', numberToHex(chain.id)]);
    await expect(request('wallet_switchEthereumChain', { chainId: '0x6' })).rejects.toMatchObject({
      code: 4902,
    });
  });

  test.each([
    ['a number', chain.id, String(Number.MAX_SAFE_INTEGER)],
    ['texts', `"${numberToHex(chain.id)}"`, `"${2n ** 100n}"`],
  ])('signs typed data with %s for the chain and the amount', async (_what, chainId, amount) => {
    const asked = typedDataOf(chainId, amount);
    const signature = (await request('eth_signTypedData_v4', address, asked)) as Hex;
    const message = { amount: BigInt(amount.replaceAll('"', '')) };
    expect(await verifyTypedData({ address, signature, ...typedData, message })).toBe(true);
  });

  test('takes data also as input', async () => {
    served.length = 0;
    const both = { data: '0xAB', input: '0xab' } as const;
    await mined(await request('eth_sendTransaction', { to: TO, ...both }));
    await mined(await request('eth_sendTransaction', { to: TO, input: '0xab' }));
    expect(served).toMatchObject([{ data: '0xAB' }, { data: '0xab' }]);
  });

  test.each([
    ['another account', 4100, 'personal_sign', ['0x00', TO]],
    ['the sender of another account', 4100, 'eth_sendTransaction', [{ from: TO, to: TO }]],
    ['the signature of a hash', 4200, 'eth_sign', [TO, `0x${'01'.repeat(32)}`]],
    ['a method of another wallet', 4200, 'wallet_sendCalls', [{}]],
    ['a field that it would leave out', -32602, 'eth_sendTransaction', [{ to: TO, blobs: ['0x'] }]],
    ['a malformed value', -32602, 'eth_sendTransaction', [{ to: TO, value: '1 ether' }]],
    ['a malformed address', -32602, 'eth_sendTransaction', [{ to: 'vitalik' }]],
    ['an unknown type', -32602, 'eth_sendTransaction', [{ to: TO, type: '0x3' }]],
    ['a missing transaction', -32602, 'eth_sendTransaction', []],
    ['data that is not the input', -32602, 'eth_sendTransaction', [{ to: TO, data: '0x00', input: '0x01' }]],
    ['malformed typed data', -32602, 'eth_signTypedData_v4', ['0x', '{']],
    [
      'a number that JSON rounds',
      -32602,
      'eth_signTypedData_v4',
      ['0x', typedDataOf(chain.id, '9007199254740993')],
    ],
    ['typed data of another chain', -32602, 'eth_signTypedData_v4', ['0x', typedDataOf(5, '1')]],
  ])('refuses %s', async (_what, code, method, params) => {
    const given = method === 'eth_signTypedData_v4' ? [address, params[1]] : params;
    await expect(request(method, ...given)).rejects.toMatchObject({ code });
  });
});

test('the provider is announced now and when a page asks, until that ends', () => {
  const target = new EventTarget();
  const announced: { info: { uuid: string; rdns: string }; provider: LatchkeyProvider }[] = [];
  target.addEventListener('eip6963:announceProvider', (event) => {
    announced.push((event as CustomEvent).detail);
  });
  const end = announceProvider(provider, { target, name: 'Treasury' });
  target.dispatchEvent(new Event('eip6963:requestProvider'));
  end();
  target.dispatchEvent(new Event('eip6963:requestProvider'));
  expect(announced).toHaveLength(2);
  expect(announced[0]).toMatchObject({
    provider,
    info: { name: 'Treasury', rdns: 'dev.latchkey', icon: expect.stringMatching(/^data:image/) },
  });
  expect(announced[0]?.info.uuid).toBe(announced[1]?.info.uuid);
  expect(Object.isFrozen(announced[0])).toBe(true);
});

test('the connector connects, signs, sends, switches the chain and disconnects', async () => {
  const connectors = [latchkey({ account })];
  const config = createConfig({ chains: [chain, other], transports, connectors, storage: null });
  const [connector] = config.connectors;
  if (!connector) throw new Error('the configuration has no connector');
  expect(await connect(config, { connector })).toMatchObject({ accounts: [address], chainId: chain.id });
  const message = 'hello';
  expect(await verifyMessage({ address, message, signature: await signMessage(config, { message }) })).toBe(
    true,
  );
  const signature = await signTypedData(config, typedData);
  expect(await verifyTypedData({ address, signature, ...typedData })).toBe(true);
  const hash = await sendTransaction(config, { to: TO, value: 1n });
  expect(await waitForTransactionReceipt(config, { hash })).toMatchObject({ status: 'success' });
  await switchChain(config, { chainId: 5 });
  expect(getAccount(config)).toMatchObject({ address, chainId: 5, status: 'connected' });
  await disconnect(config);
  expect(getAccount(config).status).toBe('disconnected');
  expect(await connect(config, { connector, chainId: chain.id })).toMatchObject({ chainId: chain.id });
});
