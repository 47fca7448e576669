/** Previews of writes, concurrent writes, and their errors, on the real stack. */
import { accountConfigAbi, apiKeyHash, cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import { newKeyText } from '@latchkey/testing/stack';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  encodeFunctionData,
  getAddress,
  type Hash,
  http,
  isAddressEqual,
  type LocalAccount,
  MethodNotFoundRpcError,
  parseGwei,
  type Transport,
  toFunctionSelector,
  UserRejectedRequestError,
} from 'viem';
import { toAccount } from 'viem/accounts';
import { getTransactionCount, getTransactionReceipt, waitForTransactionReceipt } from 'viem/actions';
import { describe, expect, test, vi } from 'vitest';
import { ContractError, createClient, LatchkeyError, SignatureRejectedError } from '../src/index.ts';
import { chain, newApiClient, newChainSecuredClient, newWallet, stack, testClient } from './clients.ts';
import { createProxy, type Reply } from './proxy.ts';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: LatchkeyError) => error,
  );

/** A node that counts its calls and can override them: an override's value other than `undefined` is the reply. */
function watchedTransport(overrides: Record<string, (params: unknown) => unknown> = {}) {
  const methods: string[] = [];
  const inner = http(stack.rpcUrl)({ chain });
  const transport: Transport = custom(
    {
      request: async ({ method, params }) => {
        methods.push(method);
        const answer = overrides[method]?.(params);
        return answer === undefined ? inner.request({ method, params }) : answer;
      },
    },
    { retryCount: 0 },
  );
  return { transport, methods };
}

describe('prepare', () => {
  test('in API mode returns the request and its price, and sends nothing', async () => {
    const client = await newApiClient();
    const prepared = await client.prepare.addGroup({
      name: 'wallets',
      description: 'all of them',
      cids: [cid],
    });
    expect(prepared).toMatchObject({
      mode: 'api',
      name: 'addGroup',
      signatures: [],
      priceMicros: 10_000n,
      request: {
        method: 'POST',
        url: `${stack.url}/core/v1/add_group`,
        body: { group_name: 'wallets', pkp_ids_permitted: [] },
      },
    });
    expect(prepared.changes.join()).toContain('“wallets” (all of them) with 1 action');
    expect((await client.listGroups()).items).toEqual([]);
    expect(await prepared.send()).toMatchObject({ groupId: 1n });
    expect((await client.listGroups()).items).toHaveLength(1);
    const opening = createClient({ url: stack.url }).prepare.newAccount({
      name: 'n',
      description: '',
    });
    expect((await opening).priceMicros).toBe(0n);
  });

  test('in ChainSecured mode returns calls, calldata and gas, and signs nothing', async () => {
    const { transport, methods } = watchedTransport();
    const wallet = await newWallet('10', transport);
    const client = createClient({ url: stack.url, wallet });
    await client.newAccount({ name: 'a', description: '' });
    methods.length = 0;
    const account = walletIdentity(wallet.account.address);
    const prepared = await client.prepare.addGroup({ name: 'g', description: 'd' });
    expect(methods.filter((method) => /send|sign/i.test(method))).toEqual([]);
    expect(prepared).toMatchObject({
      mode: 'chainSecured',
      changes: ['Creates the group “g” (d) with no actions; no wallets.'],
      signatures: [],
      calls: [
        {
          functionName: 'addGroup',
          args: { apiKeyHash: account, name: 'g', description: 'd', cidHashes: [], pkpIds: [] },
        },
      ],
      transaction: {
        to: stack.contractAddress,
        data: encodeFunctionData({
          abi: accountConfigAbi,
          functionName: 'addGroup',
          args: [account, 'g', 'd', [], []],
        }),
      },
    });
    const { gas = 0n, gasPrice = 0n, cost } = prepared.estimate ?? {};
    expect(cost).toBe(gas * gasPrice);
    const { transactionHash } = await prepared.send();
    const { gasUsed } = await getTransactionReceipt(wallet, { hash: transactionHash as `0x${string}` });
    expect(Number(gas) / Number(gasUsed)).toBeGreaterThanOrEqual(1);
    expect(Number(gas) / Number(gasUsed)).toBeLessThan(1.3);
  });

  test('rejects a write that the contract would refuse, before anything is signed', async () => {
    const { transport, methods } = watchedTransport();
    const wallet = await newWallet('10', transport);
    const client = createClient({ url: stack.url, wallet });
    const account = walletIdentity(wallet.account.address);
    const sign = vi.spyOn(wallet.account as LocalAccount, 'signTypedData');
    for (const call of [
      () => client.prepare.removeGroup({ groupId: 7n }),
      () => client.removeGroup({ groupId: 7n }),
      // Writes with values that the relayer mints first: not even their envelope is signed.
      () => client.createWallet({}),
      () => client.addUsageApiKey({}),
    ]) {
      const error = await catchError(call());
      expect(error).toBeInstanceOf(ContractError);
      expect(error).toMatchObject({ code: 'contract', errorName: 'AccountDoesNotExist', args: [account] });
    }
    expect(sign).not.toHaveBeenCalled();
    await client.newAccount({ name: 'a', description: '' });
    methods.length = 0;
    const error = await catchError(client.removeGroup({ groupId: 7n }));
    if (!(error instanceof ContractError) || !error.is('GroupDoesNotExist')) throw error;
    expect(error.args).toEqual([account, 7n]);
    const hash = `0x${account.toString(16).padStart(64, '0')}`;
    expect(error.message).toBe(
      `the contract refused the call: GroupDoesNotExist(apiKeyHash: ${hash}, groupId: 7)`,
    );
    expect(methods.filter((method) => /send|sign/i.test(method))).toEqual([]);
  });

  test('returns a placeholder and no calldata for values that the relayer mints', async () => {
    const client = await newChainSecuredClient();
    const prepared = await client.prepare.addUsageApiKey({ name: 'k', executeInGroups: [0n] });
    expect(prepared.signatures).toEqual(['AddUsageApiKey']);
    expect(prepared.calls.map(({ functionName }) => functionName)).toEqual([
      'registerWalletDerivation',
      'setUsageApiKey',
    ]);
    expect(prepared.transaction).toEqual({ to: stack.contractAddress });
    expect(prepared.estimate?.gas).toBeGreaterThan(100_000n);
    expect(prepared.changes).toEqual([
      'Creates the usage key “k”.',
      'It is permitted to run the actions of every group.',
      'It does not expire.',
    ]);
    const { usageKey, transactionHash } = await prepared.send();
    expect((await client.listApiKeys()).items).toMatchObject([{ usageKeyHash: apiKeyHash(usageKey) }]);
    // Both calls are one transaction, and the wallet of the key belongs to the account.
    expect((await client.listWallets()).items).toHaveLength(1);
    const { gasUsed } = await getTransactionReceipt(testClient, { hash: transactionHash as `0x${string}` });
    const { gas = 0n } = prepared.estimate ?? {};
    expect(Math.abs(Number(gas) / Number(gasUsed) - 1)).toBeLessThan(0.1);
  });
});

describe('batch', () => {
  test('is one transaction, in order, with the result of each write', async () => {
    const wallet = await newWallet();
    const client = createClient({ url: stack.url, wallet });
    const before = await getTransactionCount(wallet, { address: wallet.account.address });
    const later = { simulate: false };
    const writes = [
      await client.prepare.newAccount({ name: 'a', description: '' }),
      await client.prepare.addGroup({ name: 'one', description: '' }, later),
      await client.prepare.createWallet({ name: 'w' }, later),
      await client.prepare.addGroup({ name: 'two', description: '' }, later),
      await client.prepare.addActionToGroup({ groupId: 2n, cid }, later),
      await client.prepare.addUsageApiKey({ executeInGroups: [2n] }, later),
    ] as const;
    const looked = await client.prepare.batch(writes);
    expect(looked.calls.map(({ functionName }) => functionName)).toEqual([
      'newChainSecuredAccount',
      'addGroup',
      'registerWalletDerivation',
      'addGroup',
      'addActionToGroup',
      'registerWalletDerivation',
      'setUsageApiKey',
    ]);
    expect(looked.signatures).toEqual(['CreateWallet', 'AddUsageApiKey']);
    expect(looked.estimate?.gas).toBeGreaterThan(400_000n);

    const { results, blockNumber } = await client.batch(writes);
    const [account, one, pkp, two, nothing, key] = results;
    expect([account.accountHash, one.groupId, two.groupId, nothing]).toEqual([
      walletIdentity(wallet.account.address),
      1n,
      2n,
      {},
    ]);
    expect(blockNumber).toBeGreaterThan(0n);
    expect(await getTransactionCount(wallet, { address: wallet.account.address })).toBe(before + 1);
    expect((await client.listGroups()).items).toEqual([
      { groupId: 1n, cidHashes: [], pkpIds: [] },
      { groupId: 2n, cidHashes: [cidHash(cid)], pkpIds: [] },
    ]);
    expect((await client.listWallets()).items[0]?.walletAddress).toBe(pkp.walletAddress);
    expect((await client.listApiKeys()).items).toMatchObject([{ usageKeyHash: apiKeyHash(key.usageKey) }]);
  });

  test('is atomic', async () => {
    const client = await newChainSecuredClient();
    const add = await client.prepare.addGroup({ name: 'g', description: '' });
    const wrong = await client.prepare.removeGroup({ groupId: 9n }, { simulate: false });
    expect(await catchError(client.batch([add, wrong]))).toMatchObject({ errorName: 'GroupDoesNotExist' });
    expect((await client.listGroups()).items).toEqual([]);
  });

  test('requires writes of the same client, and ChainSecured mode', async () => {
    const [client, other, api] = [
      await newChainSecuredClient(),
      await newChainSecuredClient(),
      await newApiClient(),
    ];
    const add = await client.prepare.addGroup({ name: 'g', description: '' });
    expect(await catchError(other.batch([add]))).toMatchObject({ code: 'configuration' });
    expect(await catchError(client.batch([]))).toMatchObject({ code: 'configuration' });
    expect(api).not.toHaveProperty('batch');
  });
});

describe('transactions', () => {
  test('of concurrent calls use different nonces', async () => {
    const client = await newChainSecuredClient();
    const added = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => client.addGroup({ name, description: '' })),
    );
    expect(added.map(({ groupId }) => groupId).sort()).toEqual([1n, 2n, 3n, 4n]);
  });

  test('that the holder rejects throw SignatureRejectedError and send nothing', async () => {
    const wallet = await newWallet();
    const reject = () => {
      throw new UserRejectedRequestError(new Error('no'));
    };
    const rejecting = createWalletClient({
      account: toAccount({
        address: wallet.account.address,
        signMessage: async () => reject(),
        signTransaction: async () => reject(),
        signTypedData: async () => reject(),
      }),
      chain,
      transport: http(stack.rpcUrl),
      pollingInterval: 50,
    });
    const client = createClient({ url: stack.url, wallet: rejecting });
    const error = await catchError(client.newAccount({ name: 'a', description: '' }));
    expect(error).toBeInstanceOf(SignatureRejectedError);
    expect(error?.transactionHash).toBeUndefined();
    expect(await client.accountExists()).toBe(false);
    // The next transaction is not blocked by it.
    const accepting = createClient({ url: stack.url, wallet });
    await accepting.newAccount({ name: 'a', description: '' });
    expect(await catchError(client.createWallet({}))).toBeInstanceOf(SignatureRejectedError);
  });

  test('whose broadcast fails are not signed a second time', async () => {
    let attempts = 0;
    const { transport } = watchedTransport({
      eth_sendRawTransaction: () => {
        attempts++;
        throw new Error('connection lost');
      },
    });
    const client = createClient({ url: stack.url, wallet: await newWallet('10', transport) });
    const error = await catchError(client.newAccount({ name: 'a', description: '' }));
    expect(error).toMatchObject({ code: 'chain_unavailable' });
    expect(attempts).toBe(1);
  });

  test('without funds for gas are reported as such', async () => {
    const client = createClient({ url: stack.url, wallet: await newWallet('0') });
    const error = await catchError(client.newAccount({ name: 'a', description: '' }));
    expect(error).toMatchObject({ code: 'insufficient_funds' });
  });

  /** Returns a client whose transactions wait for one that is not sent yet, and its wallet. */
  async function openAhead() {
    const wallet = await newWallet();
    const { signTransaction } = wallet.account as LocalAccount;
    const account = toAccount({
      ...(wallet.account as LocalAccount),
      signTransaction: (transaction) => signTransaction({ ...transaction, nonce: 1 }),
    });
    const ahead = createWalletClient({ account, chain, transport: http(stack.rpcUrl), pollingInterval: 50 });
    return { wallet, client: createClient({ url: stack.url, wallet: ahead }) };
  }

  test('that are not mined in time are reported with their hash, and can still be mined', async () => {
    const { wallet, client } = await openAhead();
    const error = await catchError(client.newAccount({ name: 'a', description: '' }, { timeoutMs: 1_000 }));
    expect(error).toMatchObject({
      code: 'timeout',
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await client.accountExists()).toBe(false);
    await wallet.sendTransaction({ to: wallet.account.address, nonce: 0 });
    await waitForTransactionReceipt(wallet, { hash: error?.transactionHash as Hash });
    expect(await client.accountExists()).toBe(true);
  });

  test('for which the wallet still asks at the timeout are reported as such, and can still be sent', async () => {
    const wallet = await newWallet();
    const approval = Promise.withResolvers<void>();
    const { signTransaction } = wallet.account as LocalAccount;
    const account = toAccount({
      ...(wallet.account as LocalAccount),
      signTransaction: async (transaction) => {
        await approval.promise;
        return signTransaction(transaction);
      },
    });
    const slow = createWalletClient({ account, chain, transport: http(stack.rpcUrl), pollingInterval: 50 });
    const client = createClient({ url: stack.url, wallet: slow });
    const open = (options: object) =>
      client.newAccount({ name: 'a', description: '' }, options).then(
        () => undefined,
        (error: LatchkeyError) => error,
      );
    const error = await open({ timeoutMs: 2_000 });
    expect(error).toMatchObject({ code: 'timeout', isWalletAsking: true, transactionHash: undefined });
    expect(await open({ signal: AbortSignal.abort() })).toMatchObject({ isWalletAsking: false });
    approval.resolve();
    await expect.poll(() => client.accountExists()).toBe(true);
  });

  test('whose nonce another transaction used are reported as such', async () => {
    const { wallet, client } = await openAhead();
    const { address } = wallet.account;
    const outcome = catchError(client.newAccount({ name: 'a', description: '' }));
    await vi.waitUntil(async () => {
      const { queued } = await testClient.getTxpoolContent();
      return Object.keys(queued).some((sender) => isAddressEqual(sender as Address, address));
    });
    const fees = { maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: parseGwei('10') };
    await wallet.sendTransaction({ to: address, nonce: 1, ...fees });
    await wallet.sendTransaction({ to: address, nonce: 0 });
    expect(await outcome).toMatchObject({
      code: 'transaction_replaced',
      transactionHash: expect.stringMatching(/^0x/),
    });
    expect(await client.accountExists()).toBe(false);
  });

  test("that revert when mined are reported with the contract's error", async () => {
    let isBehind = false;
    const { transport } = watchedTransport({
      // A node with an older state than the chain: its simulation accepts a call that reverts when mined.
      eth_call: (params) => {
        const isWrite = JSON.stringify(params).includes(toFunctionSelector('removeGroup(uint256,uint256)'));
        const answer = isBehind && isWrite ? '0x' : undefined;
        if (isWrite) isBehind = false;
        return answer;
      },
      eth_estimateGas: () => '0x100000',
      eth_fillTransaction: () => {
        throw new MethodNotFoundRpcError(new Error('unknown'));
      },
    });
    const client = createClient({ url: stack.url, wallet: await newWallet('10', transport) });
    await client.newAccount({ name: 'a', description: '' });
    isBehind = true;
    const error = await catchError(client.removeGroup({ groupId: 1n }));
    expect(error).toBeInstanceOf(ContractError);
    expect(error).toMatchObject({
      errorName: 'GroupDoesNotExist',
      transactionHash: expect.stringMatching(/^0x/),
    });
  });

  test('wait for a node that is behind', async () => {
    const wallet = await newWallet();
    let behind = 3;
    const { transport, methods } = watchedTransport({
      eth_blockNumber: () => (behind-- > 0 ? '0x1' : undefined),
    });
    const publicClient = createPublicClient({ chain, transport, pollingInterval: 50 });
    const client = createClient({ url: stack.url, wallet, publicClient });
    await client.newAccount({ name: 'a', description: '' });
    behind = 3;
    methods.length = 0;
    expect((await client.listGroups()).items).toEqual([]);
    const firstCall = methods.indexOf('eth_call');
    expect(methods.slice(0, firstCall).filter((method) => method === 'eth_blockNumber')).toHaveLength(4);
  });

  test('require the chain and the contract of the relayer', async () => {
    const wallet = await newWallet();
    const elsewhere = createClient({
      url: stack.url,
      wallet,
      contractAddress: getAddress(`0x${'11'.repeat(20)}`),
    });
    expect(await catchError(elsewhere.newAccount({ name: 'a', description: '' }))).toMatchObject({
      code: 'configuration',
    });
    const { transport } = watchedTransport();
    const other = custom({
      request: async (request) =>
        request.method === 'eth_chainId' ? '0x1' : transport({ chain }).request(request as never),
    });
    const away = createWalletClient({ account: wallet.account, transport: other });
    const error = await catchError(
      createClient({ url: stack.url, wallet: away }).newAccount({ name: 'a', description: '' }),
    );
    expect(error).toMatchObject({ code: 'configuration', fix: expect.stringContaining('31337') });
  });
});

describe('the relayer', () => {
  test('writes once when a reply is lost', async () => {
    const { apiKey } = await createClient({ url: stack.url }).newAccount({
      name: 'lost',
      description: '',
    });
    const replies: Reply[] = ['lose', 'pass'];
    await using proxy = await createProxy(stack.url, () => replies.shift() ?? 'pass');
    const client = createClient({ url: proxy.url, apiKey });
    expect(await client.addGroup({ name: 'once', description: '' })).toMatchObject({ groupId: 1n });
    expect(proxy.requests()).toBe(2);
    expect((await client.listGroups()).items).toHaveLength(1);
  });

  test('runs once when a reply is lost', async () => {
    const owner = await newApiClient();
    const { usageKey } = await owner.addUsageApiKey({ executeInGroups: [0n] });
    const replies: Reply[] = ['lose', 'pass'];
    await using proxy = await createProxy(stack.url, () => replies.shift() ?? 'pass');
    const client = createClient({ url: proxy.url, apiKey: usageKey });
    const run = { code: 'function main() { return crypto.randomUUID(); }' };
    const first = await client.runAction(run, { idempotencyKey: 'this run' });
    expect(proxy.requests()).toBe(2);
    expect((await client.runAction(run, { idempotencyKey: 'this run' })).response).toBe(first.response);
    expect((await client.runAction(run)).response).not.toBe(first.response);
  });

  test('refuses with status, code, fix and request id', async () => {
    const owner = await newApiClient();
    const { usageKey } = await owner.addUsageApiKey({});
    const client = createClient({ url: stack.url, apiKey: usageKey });
    expect(await catchError(client.addGroup({ name: 'g', description: '' }))).toMatchObject({
      name: 'HttpError',
      code: 'forbidden',
      status: 403,
      fix: expect.stringContaining('can_create_groups'),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await catchError(owner.removeGroup({ groupId: 5n }))).toMatchObject({
      code: 'not_found',
      status: 404,
    });
    expect(await catchError(owner.addAction({ cid: 'no cid', name: '', description: '' }))).toMatchObject({
      code: 'bad_request',
      status: 400,
    });
  });

  test('shows every write to the next read, in every mode', async () => {
    for (const client of [
      await newApiClient(),
      await newChainSecuredClient('indexer'),
      await newChainSecuredClient(),
    ]) {
      for (let count = 1; count <= 5; count++) {
        await client.addGroup({ name: `${count}`, description: '' });
        expect((await client.listGroups()).items).toHaveLength(count);
      }
    }
  });
});

describe('ownership', () => {
  test('converts an API account with all its contents', async () => {
    const api = await newApiClient();
    const { groupId } = await api.addGroup({
      name: 'kept',
      description: '',
      cids: [0n],
    });
    const { usageKey } = await api.addUsageApiKey({ executeInGroups: [groupId] });
    const wallet = await newWallet();

    const prepared = await api.prepare.convertToChainSecuredAccount({ wallet });
    expect(prepared).toMatchObject({
      signatures: ['ConvertAccount'],
      request: { body: { new_admin_wallet_address: wallet.account.address } },
    });
    const converted = await prepared.send();
    expect(converted.walletAddress).toBe(wallet.account.address);
    expect(converted.transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await catchError(api.addGroup({ name: 'no', description: '' }))).toMatchObject({
      status: 403,
    });

    for (const client of [
      createClient({ url: stack.url, wallet }),
      createClient({ url: stack.url, wallet, indexerUrl: stack.indexerUrl }),
    ]) {
      expect(await client.accountExists()).toBe(true);
      await client.updateGroup({
        groupId,
        name: 'still',
        description: '',
        pkpIds: [],
        cids: [0n],
      });
      expect((await client.listGroups()).items).toMatchObject([{ groupId }]);
      const run = await client.runAction({
        code: 'function main() { return "ran"; }',
        usageKey,
      });
      expect(run.response).toBe('ran');
    }
  });

  test('rotates the account key of an API account', async () => {
    const api = await newApiClient();
    await api.addGroup({ name: 'kept', description: '' });
    const newApiKey = newKeyText();
    for (const malformed of [`${newApiKey}\n`, '', 'too short'])
      expect(await catchError(api.rotateAccountKey({ newApiKey: malformed }))).toMatchObject({
        code: 'configuration',
      });
    const prepared = await api.prepare.rotateAccountKey({ newApiKey });
    expect(JSON.stringify(prepared.request)).not.toContain(newApiKey);
    await prepared.send();
    expect(await catchError(api.listGroups())).toMatchObject({ status: 401 });
    const rotated = createClient({ url: stack.url, apiKey: newApiKey });
    expect((await rotated.listGroups()).items).toMatchObject([{ name: 'kept' }]);
  });

  test('signs the writes of a wallet without ether, and has the relayer submit them', async () => {
    const wallet = await newWallet('0');
    const own = createClient({ url: stack.url, wallet, writes: 'signed', indexerUrl: stack.indexerUrl });
    const account = await own.newAccount({ name: 'gasless', description: '' });
    expect(account.walletAddress).toBe(wallet.account.address);
    expect(await own.addGroup({ name: 'g', description: '' })).toMatchObject({ groupId: 1n });

    const prepared = await own.prepare.addAction({
      cid: await cidOf('// signed'),
      name: 'a',
      description: '',
    });
    expect(prepared).toMatchObject({ signatures: ['AddAction'], priceMicros: 10_000n });
    expect(prepared.estimate).toBeUndefined();
    await prepared.send();

    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) => own.prepare.addGroup({ name, description: '' }, { simulate: false })),
    );
    if (!first || !second) throw new Error('nothing was prepared');
    await own.batch([first, second]);
    const { usageKey } = await own.addUsageApiKey({ executeInGroups: [1n] });
    const newUsageKey = newKeyText();
    expect(
      await catchError(own.rotateUsageApiKey({ usageKey, newUsageKey: `${newUsageKey}\n` })),
    ).toMatchObject({ code: 'configuration' });
    await own.rotateUsageApiKey({ usageKey, newUsageKey });
    await own.setUsageApiKeyExpiration({ usageKey: newUsageKey, expiration: 4_102_444_800n });
    expect((await own.listApiKeys()).items).toMatchObject([
      { usageKeyHash: apiKeyHash(newUsageKey), expiration: 4_102_444_800n },
    ]);
    await own.removeAllUsageApiKeys({});
    expect((await own.listApiKeys()).items).toEqual([]);
    expect((await own.listGroups()).items.map(({ name }) => name)).toEqual(['g', 'first', 'second']);
    expect(await catchError(own.removeGroup({ groupId: 9n }))).toMatchObject({
      errorName: 'GroupDoesNotExist',
    });
  });

  test('executes a signed write with an idempotency key once', async () => {
    const wallet = await newWallet('0');
    const own = createClient({ url: stack.url, wallet, writes: 'signed' });
    await own.newAccount({ name: 'once', description: '' });
    const idempotencyKey = newKeyText();
    const add = (name: string) => own.addGroup({ name, description: '' }, { idempotencyKey });
    await add('once');
    expect(await catchError(add('twice'))).toBeInstanceOf(LatchkeyError);
    expect((await own.listGroups()).items).toHaveLength(1);
  });

  test('adds and removes several members of a group, and pages of keys from the chain', async () => {
    const own = createClient({ url: stack.url, wallet: await newWallet(), reads: 'chain' });
    await own.newAccount({ name: 'a', description: '' });
    const { groupId } = await own.addGroup({ name: 'g', description: '' });
    const { walletAddress } = await own.createWallet({});
    await own.addToGroup({ groupId, cids: [7n, 8n, cid], pkpIds: [walletAddress] });
    await own.removeFromGroup({ groupId, cids: [7n, cidHash(cid)] });
    expect((await own.listGroups()).items).toMatchObject([{ cidHashes: [8n], pkpIds: [walletAddress] }]);
    await own.addUsageApiKey({});
    await own.addUsageApiKey({});
    for (const pageSize of [100, 97, 41, 2])
      expect((await own.listApiKeys({ pageSize })).items).toHaveLength(2);
    expect((await own.listApiKeys({ pageSize: 1, pageNumber: 1 })).items).toHaveLength(1);
  });

  test('retires an account in both modes', async () => {
    const api = createClient({ url: stack.url });
    const { apiKey, accountHash } = await api.newAccount({ name: 'a', description: '' });
    const keyed = createClient({ url: stack.url, apiKey });
    expect(await catchError(keyed.retireAccount({ accountHash: 1n }))).toMatchObject({ status: 400 });
    await keyed.retireAccount({ accountHash });
    expect(await catchError(keyed.listGroups())).toMatchObject({ status: 401 });

    const own = createClient({ url: stack.url, wallet: await newWallet(), indexerUrl: stack.indexerUrl });
    const account = await own.newAccount({ name: 'a', description: '' });
    await own.retireAccount({ accountHash: account.accountHash });
    expect(await own.accountExists()).toBe(false);
  });

  test('retires a converted account by a signature, whose master hash is not the identity of the wallet', async () => {
    const api = await newApiClient();
    const wallet = await newWallet('0');
    const { accountHash } = await api.convertToChainSecuredAccount({ wallet });
    const own = createClient({ url: stack.url, wallet, writes: 'signed', indexerUrl: stack.indexerUrl });
    await own.retireAccount({ accountHash });
    expect(await own.accountExists()).toBe(false);
  });

  test('writes and retires an account whose key was replaced before its conversion', async () => {
    const api = await newApiClient();
    const newApiKey = newKeyText();
    await api.rotateAccountKey({ newApiKey });
    const wallet = await newWallet();
    const rotated = createClient({ url: stack.url, apiKey: newApiKey });
    const { accountHash } = await rotated.convertToChainSecuredAccount({ wallet });
    const own = createClient({ url: stack.url, wallet });
    const prepared = await own.prepare.addGroup({ name: 'g', description: '' });
    expect(prepared.calls[0]?.args).toMatchObject({ apiKeyHash: accountHash });
    expect(await prepared.send()).toMatchObject({ groupId: 1n });
    await own.retireAccount({ accountHash });
    expect(await own.accountState()).toMatchObject({ state: 'ended' });
  });

  test('transfers the account; the former admin wallet is refused', async () => {
    const [former, next] = [await newWallet(), await newWallet()];
    const client = createClient({ url: stack.url, wallet: former, indexerUrl: stack.indexerUrl });
    const { accountHash } = await client.newAccount({ name: 'a', description: '' });
    const prepared = await client.prepare.transferOwnership({ newAdminWalletAddress: next.account.address });
    expect(prepared.calls[0]).toMatchObject({
      functionName: 'transferChainSecuredAccountOwnership',
      args: { apiKeyHash: accountHash, newAdminWalletAddress: next.account.address },
    });
    await prepared.send();
    expect(await client.accountExists()).toBe(false);
    expect(await catchError(client.addGroup({ name: 'g', description: '' }))).toMatchObject({
      errorName: 'NoAccountAccess',
      args: [walletIdentity(former.account.address), former.account.address],
    });
    expect(await catchError(client.listGroups())).toMatchObject({ code: 'not_found' });

    const own = createClient({ url: stack.url, wallet: next });
    const transferred = { accountHash, walletAddress: next.account.address, giver: former.account.address };
    expect(await own.accountState()).toMatchObject({ state: 'waiting', accepted: false, ...transferred });
    expect(await catchError(own.addGroup({ name: 'g', description: '' }))).toMatchObject({
      code: 'account_not_accepted',
    });
    await own.acceptAccount({ accountHash });
    expect(await own.accountState()).toMatchObject({ state: 'account', accepted: true, accountHash });
    expect(await own.addGroup({ name: 'g', description: '' })).toMatchObject({ groupId: 1n });
    expect(await catchError(client.cancelTransfer({ accountHash }))).toMatchObject({
      errorName: 'NoPendingTransfer',
    });
  });

  test('either wallet cancels a transfer that was not accepted', async () => {
    const [former, next] = [await newWallet(), await newWallet()];
    const client = createClient({ url: stack.url, wallet: former });
    const own = createClient({ url: stack.url, wallet: next });
    const { accountHash } = await client.newAccount({ name: 'a', description: '' });
    for (const canceller of [client, own]) {
      await client.transferOwnership({ newAdminWalletAddress: next.account.address });
      await canceller.cancelTransfer({ accountHash });
      expect(await client.accountState()).toMatchObject({ accepted: true, giver: undefined });
      await client.addGroup({ name: 'g', description: '' });
      expect(await own.accountState()).toMatchObject({ state: 'unused' });
    }
    await own.newAccount({ name: 'own', description: '' });
    expect(await own.accountExists()).toBe(true);
  });
});
