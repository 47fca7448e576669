/** Writes that a reorg drops, and whose nonces another program then uses. */
import type { Outbox, OutboxOptions } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { localSigner } from '@latchkey/service/secp256k1';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { availableMicros, listEntries, move } from '../billing/ledger.ts';

vi.setConfig({ testTimeout: 60_000 });

const FINAL_BLOCKS = 64;
/** Questions to the nodes before a process takes a nonce for lost. */
const LOOKS = 6;

let outbox: Outbox;
const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 2 }));
beforeAll(async () => {
  outbox = await started();
});

const payer = () => fixture.addresses[0] as Address;
const started = async (options: Partial<OutboxOptions> = {}): Promise<Outbox> => {
  const made = fixture.payers({ signers: [localSigner(fixture.keys[0] as Hex)], ...options });
  await made.start();
  return made;
};
/** A process that can die: it then neither reads the chain nor sends to it. `isMute` only keeps it from sending. */
const startedMortal = async () => {
  const state = { isDead: false, isMute: false };
  const alive =
    <Parameters extends unknown[], Result>(call: (...parameters: Parameters) => Promise<Result>) =>
    (...parameters: Parameters): Promise<Result> =>
      state.isDead ? Promise.reject(new Error('dead')) : call(...parameters);
  const { agreed, refreshHead, sendRawTransactions } = fixture.chain;
  const chain: OutboxOptions['chain'] = {
    ...fixture.chain,
    agreed: (...question) => alive(() => agreed(...question))(),
    refreshHead: alive(refreshHead),
    sendRawTransactions: async (raws) =>
      state.isDead || state.isMute ? raws.map(() => new Error('dead')) : sendRawTransactions(raws),
  };
  return { state, outbox: await started({ chain }) };
};
const mine = (blocks: number) => fixture.anvil.client.mine({ blocks });
const countInChain = (address = payer()) => fixture.anvil.client.getTransactionCount({ address });
/** Sends a paid write, which opens an account. Returns it as it is stored. */
const write = async (name: string, idempotencyId?: string) => {
  const call = accountCall(name, idempotencyId);
  await move(fixture.db, call.account, 'credit', 100n, { externalId: name, reason: 'test' });
  const paid = { ...call, payment: { key: call.account, amountMicros: 10n, reason: name } };
  const nonce = await countInChain();
  await outbox.send(paid);
  return { ...paid, nonce };
};
type Write = Awaited<ReturnType<typeof write>>;
const signed = (key: number, nonce: number, data: Hex = '0x'): Promise<Hex> => {
  const account = privateKeyToAccount(fixture.keys[key] as Hex);
  const fees = { gas: 500_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const to = data === '0x' ? account.address : fixture.contract;
  return account.signTransaction({ type: 'eip1559', chainId: 31_337, to, nonce, data, ...fees });
};
/** Replaces the last blocks, the first one by a block with these transactions. The node forgets the transactions of the old blocks. */
const reorg = (depth: number, raws: Hex[] = []) =>
  fixture.anvil.client.request({
    method: 'anvil_reorg',
    params: [depth, raws.map((raw) => [raw, 0])],
  } as never);
const openings = async ({ account }: Write) => {
  const { address, abi } = { address: fixture.contract, abi: accountConfigAbi };
  const logs = await fixture.anvil.client.getContractEvents({
    address,
    abi,
    eventName: 'AccountCreated',
    args: { masterApiKeyHash: account } as never,
    fromBlock: 0n,
  });
  return logs.length;
};
const kinds = async ({ account }: Write) =>
  (await listEntries(fixture.db, account, { offset: 0, limit: 10 })).entries
    .map(({ kind }) => kind)
    .reverse();
const pendingNonces = async () => (await fixture.store.pending(0)).map(({ nonce }) => nonce);
/** Polls while the outbox rechecks, as a relayer does every ten seconds. */
const untilRechecked = (state: string, isReached: () => Promise<boolean>, by = outbox) =>
  until(state, async () => {
    await by.recheck();
    return isReached();
  });
/** Drops the last writes, one block each, and lets another program use their nonces. */
const displace = async (writes: Write[], by = outbox) => {
  const foreign = await Promise.all(writes.map(({ nonce }) => signed(0, nonce)));
  await reorg(writes.length, foreign);
  const isPending = async () => (await pendingNonces()).length === writes.length;
  await untilRechecked('they are pending', isPending, by);
};
const untilBack = (writes: Write[], by = outbox) =>
  untilRechecked(
    'the writes are back',
    async () => {
      const counts = await Promise.all(writes.map(openings));
      return counts.every((count) => count === 1) && (await pendingNonces()).length === 0;
    },
    by,
  );

test('a write whose nonce another program took after a reorg succeeds with another nonce, once, for its one price', async () => {
  const call = await write('displaced');
  await displace([call]);
  await mine(FINAL_BLOCKS);
  await untilBack([call]);
  expect(await countInChain()).toBe(call.nonce + 2);
  expect(await kinds(call)).toEqual(['credit', 'reserve', 'capture']);
  expect(await availableMicros(fixture.db, call.account)).toBe(90n);
});

test('writes that need each other are sent again in their order', async () => {
  const calls: Write[] = [];
  for (const name of ['ordered 1', 'ordered 2', 'ordered 3']) calls.push(await write(name));
  await displace(calls);
  const ids = (await fixture.store.pending(0)).map(({ id }) => id);
  await mine(FINAL_BLOCKS);
  await untilBack(calls);
  const nonces = await Promise.all(ids.map(async (id) => (await fixture.store.get(id))?.nonce ?? 0));
  expect(nonces).toEqual([3, 4, 5].map((index) => (calls[0] as Write).nonce + index));
});

test('a write is not sent with another nonce before that is final, and keeps its own when a reorg gives it back', async () => {
  const call = await write('given back');
  await displace([call]);
  await mine(FINAL_BLOCKS - 2);
  let looks = 0;
  const agreed: OutboxOptions['chain']['agreed'] = (...question) => {
    looks++;
    return fixture.chain.agreed(...question);
  };
  await started({ chain: { ...fixture.chain, agreed } });
  await until('a process has decided twice', async () => looks > 2 * LOOKS);
  const other = await write('meanwhile');
  expect(other.nonce).toBe(call.nonce + 1);
  expect(await pendingNonces()).toEqual([call.nonce]);
  expect(await openings(call)).toBe(0);
  // The other program's transaction is gone.
  await reorg(FINAL_BLOCKS);
  await untilBack([call, other]);
  expect(await countInChain()).toBe(call.nonce + 2);
});

test('a write that was in no block yet waits for that as well, so that a reorg which brings it back lets it take effect once', async () => {
  const nonce = await countInChain();
  await fixture.anvil.client.setAutomine(false);
  const call = accountCall('never mined');
  await move(fixture.db, call.account, 'credit', 100n, { externalId: 'never mined', reason: 'test' });
  const paid = { ...call, payment: { key: call.account, amountMicros: 10n, reason: 'never mined' } };
  const sent = outbox.send(paid);
  const raw = await until('a node has it', async () => {
    const [stored] = await fixture.store.pending(0);
    const hash = stored?.hashes[0];
    return hash && (await fixture.anvil.client.getTransaction({ hash })) ? stored.raw : undefined;
  });
  await fixture.anvil.client.sendRawTransaction({ serializedTransaction: await signed(0, nonce) });
  await mine(FINAL_BLOCKS - 1);
  await fixture.anvil.client.setAutomine(true);
  const other = await write('in the next nonce');
  expect(other.nonce).toBe(nonce + 1);
  expect([await pendingNonces(), await openings({ ...paid, nonce })]).toEqual([[nonce], 0]);
  await reorg(FINAL_BLOCKS, [raw]);
  expect((await sent).status).toBe('success');
  await untilBack([{ ...paid, nonce }, other]);
  await mine(FINAL_BLOCKS);
  await outbox.recheck();
  expect(await countInChain()).toBe(nonce + 2);
  expect(await kinds({ ...paid, nonce })).toEqual(['credit', 'reserve', 'capture']);
});

test('a reorg that brings the write back under its own nonce settles it without another form', async () => {
  const call = await write('flipped');
  await displace([call]);
  const [stored] = await fixture.store.pending(0);
  await reorg(1, [stored?.raw as Hex]);
  await untilBack([call]);
  await mine(FINAL_BLOCKS);
  await outbox.recheck();
  expect(await countInChain()).toBe(call.nonce + 1);
  expect((await fixture.store.get(stored?.id ?? ''))?.hashes).toHaveLength(1);
});
test('after a crash at any moment another process sends the write again, once', async () => {
  const call = await write('crashed');
  const mortal = await startedMortal();
  await displace([call], mortal.outbox);
  mortal.state.isMute = true;
  await mine(FINAL_BLOCKS);
  await until('the other nonce is stored', async () => (await pendingNonces())[0] === call.nonce + 1);
  mortal.state.isDead = true;
  await untilBack([call], await started());
  expect(await countInChain()).toBe(call.nonce + 2);
  mortal.state.isDead = false;
});

test('several processes that follow the write send it again once', async () => {
  const call = await write('followed twice');
  await displace([call]);
  const others = [await started(), await started()];
  await mine(FINAL_BLOCKS);
  await untilBack([call]);
  for (const other of others) await untilBack([call], other);
  expect(await countInChain()).toBe(call.nonce + 2);
  expect(await isLevel()).toBe(true);
});
const isLevel = async () => (await countInChain()) === (await fixture.store.nextNonce(payer()));

test('a repeated request with its Idempotency-Key meanwhile has no second effect, and then its reply', async () => {
  const call = await write('repeated', 'repeated id');
  await displace([call]);
  const impatient = await started({ timeoutMs: 3_000 });
  await expect(impatient.send(call)).rejects.toThrow('not mined in time');
  const sent = outbox.send(call);
  await mine(FINAL_BLOCKS);
  await untilBack([call]);
  expect((await sent).status).toBe('success');
  expect(await countInChain()).toBe(call.nonce + 2);
});

test('a write that can no longer succeed ends with a logged reason, and its price is returned once', async () => {
  const call = await write('impossible');
  const errors: string[] = [];
  const destination = { write: (line: string) => void errors.push(line) };
  const log = createLogger({ name: 'test', level: 'error', destination });
  await displace([call], await started({ log }));
  await fixture.anvil.client.sendRawTransaction({
    serializedTransaction: await signed(1, await countInChain(fixture.addresses[1]), call.data),
  });
  await mine(FINAL_BLOCKS);
  await untilRechecked(
    'the price is back',
    async () => (await availableMicros(fixture.db, call.account)) === 100n,
  );
  expect(await kinds(call)).toEqual(['credit', 'reserve', 'capture', 'credit']);
  await until('the reason is logged', async () => errors.length > 0);
  expect(errors.join()).toContain('AccountAlreadyExists');
});

test('a payer that is no longer used leaves its writes to another one', async () => {
  const call = await write('left');
  const mortal = await startedMortal();
  await displace([call], mortal.outbox);
  mortal.state.isDead = true;
  const other = await started({ signers: [localSigner(fixture.keys[1] as Hex)] });
  const count = await countInChain(fixture.addresses[1]);
  await mine(FINAL_BLOCKS);
  await untilBack([call], other);
  expect(await countInChain(fixture.addresses[1])).toBe(count + 1);
  mortal.state.isDead = false;
});

test('a nonce that the chain lost with a foreign transaction is filled, so that later writes are mined', async () => {
  const nonce = await countInChain();
  await fixture.anvil.client.sendRawTransaction({ serializedTransaction: await signed(0, nonce) });
  await fixture.store.raiseNonce(payer(), nonce + 1);
  const call = await write('after a foreign one');
  expect(call.nonce).toBe(nonce + 1);
  await reorg(2);
  expect(await countInChain()).toBe(nonce);
  await untilBack([call]);
  expect(await countInChain()).toBe(nonce + 2);
  expect(await isLevel()).toBe(true);
});

test('a nonce ahead of the chain heals while a write waits for its final block', async () => {
  const call = await write('waits');
  await displace([call]);
  await fixture.store.raiseNonce(payer(), call.nonce + 5);
  await untilRechecked('the nonce is that of the chain', isLevel);
  expect(await pendingNonces()).toEqual([call.nonce]);
  expect((await write('beside it')).nonce).toBe(call.nonce + 1);
  await mine(FINAL_BLOCKS);
  await untilBack([call]);
});

test('a reorg is found after the chain was out of reach for more than its final blocks', async () => {
  for (const isStartedAfter of [false, true]) {
    const call = await write(`out of reach ${isStartedAfter}`);
    await outbox.recheck();
    if (isStartedAfter) await outbox.close();
    await reorg(1);
    await mine(2 * FINAL_BLOCKS);
    if (isStartedAfter) outbox = await started();
    await untilBack([call]);
  }
});
