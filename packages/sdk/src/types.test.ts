/** The types of both modes; nothing here is run. */
import type { Address } from 'viem';
import { expectTypeOf, test } from 'vitest';
import {
  type Agent,
  type ApiClient,
  type ApiPrepared,
  addGroup,
  addUsageApiKey,
  type ChainSecuredClient,
  type ChainSecuredPrepared,
  type ChainSecuredWrites,
  ContractError,
  createBareClient,
  createClient,
  createTriggersClient,
  listGroups,
  logInToTriggers,
  type Pairing,
  prepare,
  rotateAccountKey,
  type TriggerRun,
  type Wallet,
} from './index.ts';

const url = 'http://localhost';
declare const wallet: Wallet;
const unrun = (_: () => unknown) => {};

test('infers the mode from the parameters', () => {
  unrun(() => {
    expectTypeOf(createClient({ url })).toEqualTypeOf<ApiClient>();
    expectTypeOf(createClient({ url, apiKey: 'k' })).toEqualTypeOf<ApiClient>();
    expectTypeOf(createClient({ url, wallet })).toEqualTypeOf<ChainSecuredClient<'chain'>>();
    expectTypeOf(createClient({ url, wallet, indexerUrl: url })).toEqualTypeOf<
      ChainSecuredClient<'indexer'>
    >();
    expectTypeOf(createClient({ url, wallet, indexerUrl: url, reads: 'chain' })).toEqualTypeOf<
      ChainSecuredClient<'chain'>
    >();
    // @ts-expect-error the indexer must be named
    createClient({ url, wallet, reads: 'indexer' });
    // @ts-expect-error one or the other
    createClient({ url, wallet, apiKey: 'k' });
    const either: ChainSecuredClient = createClient({ url, wallet });
    expectTypeOf(either.reads).toEqualTypeOf<'indexer' | 'chain'>();
  });
});

test('both modes share names and parameters', () => {
  type Shared = Exclude<
    keyof ApiClient,
    'mode' | 'reads' | 'internals' | 'prepare' | 'convertToChainSecuredAccount' | 'rotateAccountKey'
  >;
  expectTypeOf<Shared>().toExtend<keyof ChainSecuredClient>();
  type Parameter<client, name extends keyof client> = client[name] extends (...args: infer P) => unknown
    ? P
    : never;
  expectTypeOf<Parameter<ApiClient, 'addGroup'>>().toEqualTypeOf<Parameter<ChainSecuredClient, 'addGroup'>>();
  expectTypeOf<Parameter<ApiClient, 'listLedger'>>().toEqualTypeOf<
    Parameter<ChainSecuredClient, 'listLedger'>
  >();
  expectTypeOf<keyof ApiClient['prepare']>().toEqualTypeOf<
    | Exclude<keyof ChainSecuredClient['prepare'], 'batch' | keyof ChainSecuredWrites>
    | 'convertToChainSecuredAccount'
    | 'rotateAccountKey'
  >();
  expectTypeOf<ApiClient>().not.toHaveProperty('batch');
  expectTypeOf<ApiClient>().not.toHaveProperty('transferOwnership');
  expectTypeOf<ChainSecuredClient>().not.toHaveProperty('convertToChainSecuredAccount');
});

test('caps are available in API mode only', () => {
  unrun(async () => {
    const api = createClient({ url });
    const own = createClient({ url, wallet, indexerUrl: url });
    await api.addUsageApiKey({
      spendCapCents: 5,
      spendWindowSeconds: 60,
      maxRunsPerMinute: 1,
      maxConcurrency: 1,
    });
    await own.addUsageApiKey({ name: 'k', executeInGroups: [0n] });
    // @ts-expect-error the contract has no caps
    await own.addUsageApiKey({ spendCapCents: 5 });
    // @ts-expect-error
    own.prepare.addUsageApiKey({ spendWindowSeconds: 5 });
    // @ts-expect-error
    await addUsageApiKey(createBareClient({ url, wallet }), { maxConcurrency: 5 });
    // A list entry can be passed to an update in both modes.
    for (const { usageKeyHash, ...rest } of (await api.listApiKeys()).items) {
      expectTypeOf(rest.spendCapCents).toEqualTypeOf<number | undefined>();
      await api.updateUsageApiKey({ ...rest, usageKey: usageKeyHash });
      const { executeInGroups, spendCapCents, ...others } = rest;
      // @ts-expect-error an update names every permission
      await api.updateUsageApiKey({ ...others, spendCapCents, usageKey: usageKeyHash });
      // @ts-expect-error and every cap
      await api.updateUsageApiKey({ ...others, executeInGroups, usageKey: usageKeyHash });
    }
    for (const { usageKeyHash, ...rest } of (await own.listApiKeys()).items) {
      expectTypeOf(rest.spendCapCents).toEqualTypeOf<undefined>();
      await own.updateUsageApiKey({ ...rest, usageKey: usageKeyHash });
      // @ts-expect-error the contract has no caps
      await own.updateUsageApiKey({ ...rest, usageKey: usageKeyHash, maxRunsPerMinute: 5 });
    }
    const [onChain] = (await createClient({ url, wallet }).listApiKeys()).items;
    // @ts-expect-error an entry from the chain has no labels
    if (onChain) await own.updateUsageApiKey({ ...onChain, usageKey: 1n });
  });
});

test('every list returns the parameters of its next page', () => {
  unrun(async () => {
    const api = createClient({ url });
    const triggers = createTriggersClient({ url, token: 't' });
    const wallets = await api.listWalletsInGroup({ groupId: 1n });
    if (wallets.nextPage) await api.listWalletsInGroup(wallets.nextPage);
    await api.listActions((await api.listActions({ groupId: 1n })).nextPage);
    await api.listRuns((await api.listRuns({ status: 'failed' })).nextPage);
    await api.listAccountChanges((await api.listAccountChanges()).nextPage);
    await api.listRequests((await api.listRequests({ outcome: 'refused' })).nextPage);
    await triggers.listTriggers((await triggers.listTriggers()).nextPage);
    await triggers.searchTriggerRuns((await triggers.searchTriggerRuns()).nextPage);
  });
});

test('results have parsed types, not wire forms', () => {
  unrun(async () => {
    const api = createClient({ url });
    const account = await api.newAccount({ name: '', description: '' });
    expectTypeOf(account.apiKey).toEqualTypeOf<string>();
    expectTypeOf(account.walletAddress).toEqualTypeOf<Address>();
    expectTypeOf((await api.addGroup({ name: '', description: '' })).groupId).toEqualTypeOf<bigint>();
    // @ts-expect-error a group id is a bigint
    await api.removeGroup({ groupId: 1 });

    const own = createClient({ url, wallet });
    // @ts-expect-error a wallet's account has no key
    (await own.newAccount({ name: '', description: '' })).apiKey;
    // @ts-expect-error the wallet is not a usage key
    await own.runAction({ code: '' });
    // @ts-expect-error code or its CID
    await own.runAction({ usageKey: 'k' });
    await api.runAction({ code: '' });
    await own.explainExecution({ cid: 1n, usageKey: 2n });
    await api.explainExecution({ cid: 1n, usageKey: 2n });
    await api.explainExecution({ cid: 1n });
    // @ts-expect-error a wallet is not a usage key
    await own.explainExecution({ cid: 1n });
  });
});

test('a login needs either the account key or the wallet, and a client its token', () => {
  unrun(async () => {
    const { token, account, expiresAt } = await logInToTriggers({ url, accountKey: 'k' });
    expectTypeOf(token).toEqualTypeOf<string>();
    expectTypeOf(account).toEqualTypeOf<bigint>();
    expectTypeOf(expiresAt).toEqualTypeOf<Date>();
    await logInToTriggers({ url, wallet });
    // @ts-expect-error neither
    await logInToTriggers({ url });
    // @ts-expect-error one or the other
    await logInToTriggers({ url, accountKey: 'k', wallet });
    // @ts-expect-error the token is required
    createTriggersClient({ url });
    const person = createTriggersClient({ url, token });
    expectTypeOf((await person.searchTriggerRuns({ from: new Date() })).items).toEqualTypeOf<TriggerRun[]>();
    expectTypeOf(await person.reviewPairing({ code: 'c' })).toEqualTypeOf<Pairing>();
    expectTypeOf(await person.listAgents()).toEqualTypeOf<Agent[]>();
  });
});

test('labels are present when the source of reads has them', () => {
  unrun(async () => {
    const [http] = (await createClient({ url }).listGroups()).items;
    expectTypeOf(http?.name).toEqualTypeOf<string | undefined>();
    const indexed = createClient({ url, wallet, indexerUrl: url });
    for (const item of (await indexed.listWallets()).items) expectTypeOf(item.name).toEqualTypeOf<string>();
    for (const item of (await createClient({ url, wallet }).listWallets()).items)
      expectTypeOf(item.name).toEqualTypeOf<undefined>();
    const bare = createBareClient({ url, wallet });
    for (const item of (await listGroups(bare)).items) expectTypeOf(item.name).toEqualTypeOf<undefined>();
  });
});

test('a preview has the type of the mode; a batch has the result of each write', () => {
  unrun(async () => {
    const api = createClient({ url });
    const group = { name: '', description: '' };
    expectTypeOf(await api.prepare.addGroup(group)).toExtend<ApiPrepared<{ groupId: bigint }>>();
    const own = createClient({ url, wallet });
    const first = await own.prepare.addGroup(group);
    expectTypeOf(first).toExtend<ChainSecuredPrepared<{ groupId: bigint }>>();
    const second = await own.prepare.createWallet({});
    const { results } = await own.batch([first, second]);
    expectTypeOf(results[0].groupId).toEqualTypeOf<bigint>();
    expectTypeOf(results[1].walletAddress).toEqualTypeOf<Address>();
    const bare = createBareClient({ url, wallet });
    expectTypeOf(await prepare(bare, addGroup, group)).toExtend<ChainSecuredPrepared<{ groupId: bigint }>>();
    expectTypeOf(await prepare(createBareClient({ url }), addUsageApiKey, { spendCapCents: 5 })).toExtend<
      ApiPrepared<{ usageKey: string }>
    >();
    // @ts-expect-error the contract has no caps
    await prepare(bare, addUsageApiKey, { spendCapCents: 5 });
    // @ts-expect-error not in this mode
    await prepare(bare, rotateAccountKey, { newApiKey: 'k' });
    // @ts-expect-error a request is not a transaction
    await own.batch([await api.prepare.addGroup(group)]);
  });
});

test('a bound client works with standalone functions', () => {
  unrun(() => {
    void addGroup(createClient({ url }), { name: '', description: '' });
    void addGroup(createClient({ url, wallet }), { name: '', description: '' });
  });
});

test('the name of a contract error determines the types of its arguments', () => {
  const error: unknown = new ContractError('GroupDoesNotExist', [1n, 2n], '');
  if (error instanceof ContractError && error.is('GroupDoesNotExist'))
    expectTypeOf(error.args).toEqualTypeOf<readonly [apiKeyHash: bigint, groupId: bigint]>();
});
