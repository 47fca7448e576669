import { accountConfigAbi, apiKeyHash, cidHash, walletIdentity } from '@latchkey/protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { sql } from 'drizzle-orm';
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createWalletClient,
  type Hex,
  http,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { beforeEach, expect, test } from 'vitest';
import { ETHER, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { addTestEndpoint, messagesTo } from '../../test/webhooks.ts';
import { chainCursors, webhookEndpoints } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { followAccountEvents } from './account-events.ts';

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));
beforeEach(async () => {
  await fixture.db.delete(webhookEndpoints);
  await fixture.db.execute(sql`update chain_cursors set block = null`);
  await follow();
});

/** Ends the pause, or the lease of a relayer that died. */
const endLease = () => fixture.db.execute(sql`update chain_cursors set lease_until = now()`);
type Options = Partial<Parameters<typeof followAccountEvents>[0]>;
const followOnce = (options: Options = {}) =>
  followAccountEvents({ ...fixture, confirmations: 0, ...options });
async function follow(options: Options = {}) {
  // As other parts of a relayer do.
  await fixture.chain.refreshHead();
  await endLease();
  await followOnce(options);
}
const cursor = async () => {
  const [row] = await fixture.db.select().from(chainCursors);
  return row?.block;
};

type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;

/** Opens an account by its wallet, without any relayer. */
async function ownAccount() {
  const wallet = await fundedWallet();
  await wallet.write('newChainSecuredAccount', ['mine', '']);
  const hash = walletIdentity(wallet.address);
  return { ...wallet, hash, account: hashText(hash) };
}

async function fundedWallet() {
  const signer = privateKeyToAccount(generatePrivateKey());
  await fixture.anvil.client.setBalance({ address: signer.address, value: ETHER });
  const client = createWalletClient({ account: signer, chain: foundry, transport: http(fixture.anvil.url) });
  const write = async <const Name extends WriteName>(
    functionName: Name,
    args: ContractFunctionArgs<typeof accountConfigAbi, 'nonpayable', Name>,
  ): Promise<Hex> => {
    const call = { address: fixture.contract, abi: accountConfigAbi, functionName, args };
    const hash = await client.writeContract(call as never);
    const { status } = await fixture.anvil.client.waitForTransactionReceipt({ hash });
    expect(status).toBe('success');
    return hash;
  };
  return { address: signer.address as Address, write };
}

const changesTo = async (account: string) =>
  (await messagesTo(fixture.db, account, 'account.changed')).flatMap(
    ({ data }) => (data as { changes: { event: string }[] }).changes,
  );
const eventsTo = async (account: string) => (await changesTo(account)).map(({ event }) => event);

test('queues one event per transaction for writes that a wallet sends without a relayer', async () => {
  const { write, hash, account } = await ownAccount();
  await addTestEndpoint(fixture.db, account);
  await follow();
  const before = (await eventsTo(account)).length;
  const transaction = await write('addGroup', [hash, 'group', '', [cidHash('Qm')], []]);
  await follow();
  const messages = await messagesTo(fixture.db, account);
  expect(messages).toHaveLength(before + 1);
  expect(messages.at(-1)).toEqual({
    type: 'account.changed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      transaction_hash: transaction,
      block_number: expect.stringMatching(/^\d+$/),
      block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      changes: [
        { event: 'ActionAdded', log_index: 0, action_hash: hashText(cidHash('Qm')) },
        { event: 'GroupAdded', log_index: 1, group_id: '1' },
      ],
    },
  });
});

test('queues an event for a removed usage key, and for all of them', async () => {
  const { write, hash, account } = await ownAccount();
  const key = apiKeyHash('a key');
  await write('setUsageApiKey', [hash, key, 0n, 0n, '', '', false, false, false, [], [], [], []] as never);
  await addTestEndpoint(fixture.db, account, { types: ['usage_key.removed'] });
  const place = { transaction_hash: '', block_number: expect.any(String) };
  place.transaction_hash = await write('removeUsageApiKey', [hash, key]);
  await follow();
  expect((await messagesTo(fixture.db, account)).map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'usage_key.removed', data: { usage_key_hash: hashText(key), ...place } },
  ]);
  await write('removeAllUsageApiKeys', [hash]);
  await follow();
  expect((await messagesTo(fixture.db, account)).at(-1)?.data).toMatchObject({ usage_key_hash: null });
});

test('queues no event for changes of another account', async () => {
  const [own, other] = [await ownAccount(), await ownAccount()];
  await follow();
  await addTestEndpoint(fixture.db, own.account);
  await other.write('addGroup', [other.hash, 'group', '', [], []]);
  await follow();
  expect(await messagesTo(fixture.db, own.account)).toEqual([]);
});

test('several relayers queue each change once', async () => {
  const { write, hash, account } = await ownAccount();
  await addTestEndpoint(fixture.db, account, { types: ['account.changed'] });
  await follow();
  const told = (await eventsTo(account)).length;
  for (let i = 0; i < 5; i++) {
    await write('addGroup', [hash, `group ${i}`, '', [], []]);
    await endLease();
    await Promise.all(Array.from({ length: 6 }, () => followOnce()));
  }
  expect((await eventsTo(account)).slice(told)).toEqual(Array(5).fill('GroupAdded'));
});

test('a relayer that was slow stores nothing that another one has stored', async () => {
  const { write, hash, account } = await ownAccount();
  await follow();
  await addTestEndpoint(fixture.db, account, { types: ['account.changed'] });
  await write('addGroup', [hash, 'group', '', [], []]);
  const agreed: typeof fixture.chain.agreed = async (...question) => {
    const answer = await fixture.chain.agreed(...question);
    await follow();
    return answer;
  };
  await follow({ chain: { ...fixture.chain, agreed } });
  expect(await eventsTo(account)).toEqual(['GroupAdded']);
});

test('a relayer that dies between the query and the store loses nothing', async () => {
  const { write, hash, account } = await ownAccount();
  await follow();
  await addTestEndpoint(fixture.db, account, { types: ['account.changed'] });
  await write('addGroup', [hash, 'group', '', [], []]);
  const agreed = () => Promise.reject(new Error('died'));
  await expect(follow({ chain: { ...fixture.chain, agreed } })).rejects.toThrow('died');
  // Its lease is not over.
  await followOnce();
  expect(await eventsTo(account)).toEqual([]);
  await follow();
  expect(await eventsTo(account)).toEqual(['GroupAdded']);
});

test('queues a change after its confirmations, and never when a reorg drops it before', async () => {
  const { write, hash, account } = await ownAccount();
  await fixture.anvil.client.mine({ blocks: 3 });
  await follow();
  await addTestEndpoint(fixture.db, account, { types: ['account.changed'] });
  await write('addGroup', [hash, 'kept', '', [], []]);
  await fixture.anvil.client.mine({ blocks: 2 });
  await follow({ confirmations: 3 });
  expect(await eventsTo(account)).toEqual([]);
  await fixture.anvil.client.mine({ blocks: 1 });
  await follow({ confirmations: 3 });
  expect(await eventsTo(account)).toEqual(['GroupAdded']);
  await write('addGroup', [hash, 'dropped', '', [], []]);
  await fixture.anvil.client.mine({ blocks: 1 });
  await follow({ confirmations: 3 });
  await fixture.anvil.client.request({ method: 'anvil_reorg', params: [2, []] } as never);
  await fixture.anvil.client.mine({ blocks: 5 });
  await follow({ confirmations: 3 });
  expect(await eventsTo(account)).toEqual(['GroupAdded']);
});

test('a relayer whose node is behind queues nothing again', async () => {
  const { write, hash, account } = await ownAccount();
  await addTestEndpoint(fixture.db, account);
  await write('addGroup', [hash, 'group', '', [], []]);
  await follow();
  const [told, place] = [await eventsTo(account), await cursor()];
  expect(told).toContain('GroupAdded');
  const behind = (place ?? 0n) - 2n;
  const chain = { ...fixture.chain, head: () => behind, refreshHead: async () => behind };
  await follow({ chain });
  expect(await cursor()).toBe(place);
  await follow();
  expect(await eventsTo(account)).toEqual(told);
});

test('no logs are read while no account has a webhook, and a later one gets later changes', async () => {
  const { write, hash, account } = await ownAccount();
  await fixture.chain.refreshHead();
  const agreed = () => Promise.reject(new Error('asked'));
  await follow({ chain: { ...fixture.chain, agreed } });
  expect(await cursor()).toBe(fixture.chain.head());
  await addTestEndpoint(fixture.db, account, { types: ['account.changed'] });
  await write('addGroup', [hash, 'group', '', [], []]);
  await follow();
  expect(await eventsTo(account)).toEqual(['GroupAdded']);
});

test('long ranges are read in parts', async () => {
  await addTestEndpoint(fixture.db, '0x01');
  await fixture.db.execute(sql`update chain_cursors set block = 100`);
  const ranges: object[] = [];
  const getLogs = async ({ fromBlock, toBlock }: Record<'fromBlock' | 'toBlock', bigint>) => {
    ranges.push([fromBlock, toBlock]);
    return [];
  };
  const agreed = (question: (client: never) => unknown) => question({ getLogs } as never);
  const chain = { head: () => 5_000n, refreshHead: async () => 5_000n, agreed: agreed as never };
  for (let i = 0; i < 4; i++) await follow({ chain });
  expect(ranges).toEqual([
    [101n, 2_100n],
    [2_101n, 4_100n],
    [4_101n, 5_000n],
  ]);
});
