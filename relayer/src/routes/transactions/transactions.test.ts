/** The routes of transactions, with a relayer and a chain of their own. */
import { randomUUID } from 'node:crypto';
import type { WalletCall } from '@latchkey/outbox';
import { apiKeyHash } from '@latchkey/protocol';
import { startChain } from '@latchkey/testing/chain';
import {
  type Account,
  addUsageKey,
  call,
  expectError,
  hex,
  newAccount,
  type Reply,
} from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { createParser } from 'eventsource-parser';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';
import { callOf, type Process, signer, startProcess } from '../../../test/wallet-fixture.ts';
import { openDatabase } from '../../db/database.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Transaction = { id: string; status: string; hash: string; [field: string]: unknown };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

let relayer: Awaited<ReturnType<typeof ownRelayer>>;
let anvil: Awaited<ReturnType<typeof startChain>>;
/** The process that sends: another one than the relayer that is asked. */
let sender: Process;
let wallet: PrivateKeyAccount;
let account: Account;
let stranger: Account;
let [runKey, otherRunKey] = ['', ''];
beforeAll(async () => {
  anvil = stack.use(await startChain());
  const chains = [{ id: 31_337, name: 'Own', rpc_urls: [anvil.url], explorer: 'https://explorer.example/' }];
  relayer = stack.use(await ownRelayer({ CHAINS: JSON.stringify(chains) }));
  const { db, close } = await openDatabase({ url: relayer.databaseUrl, poolSize: 4 });
  stack.defer(close);
  sender = await startProcess({ db, rpcUrl: anvil.url }, stack);
  wallet = await funded();
  [account, stranger] = [await newAccount(), await newAccount()];
  [runKey, otherRunKey] = [await addUsageKey(account.key), await addUsageKey(account.key)];
});

const funded = async (): Promise<PrivateKeyAccount> => {
  const made = privateKeyToAccount(generatePrivateKey());
  await anvil.client.setBalance({ address: made.address, value: 10n ** 20n });
  return made;
};
const ask = (path: string, key = account.key) => call('GET', path, { key }, relayer.url);
const cancel = (id: string, key = account.key): Promise<Reply> =>
  call('POST', 'cancel_transaction', { key, body: { id } }, relayer.url);
const send = async (change: Partial<WalletCall> = {}, from = wallet): Promise<string> => {
  const asked = callOf(from, { account: account.hash, usageKey: apiKeyHash(runKey), ...change });
  return (await sender.send(asked, signer(from, asked), AbortSignal.timeout(20_000))).id;
};
const listed = async (query: string, key?: string): Promise<string[]> => {
  const { status, body } = await ask(`transactions?${query}`, key);
  expect(status).toBe(200);
  return (body as Transaction[]).map(({ id }) => id);
};
const untilStatus = (id: string, wanted: string): Promise<Transaction> =>
  until(`transaction is ${wanted}`, async () => {
    const { body } = await ask(`transactions/${id}`);
    return (body as Transaction).status === wanted && (body as Transaction);
  });
const withoutMining = async <T>(work: () => Promise<T>): Promise<T> => {
  await anvil.client.setAutomine(false);
  try {
    return await work();
  } finally {
    await anvil.client.setAutomine(true);
    await anvil.client.mine({ blocks: 1 });
  }
};

/** Reads the events of a stream until `isLast`. */
async function stream(
  key: string,
  onEvent: (name: string, data: unknown) => boolean,
  url = relayer.url,
): Promise<Response> {
  const ending = new AbortController();
  const response = await fetch(`${url}/core/v1/transactions/events`, {
    headers: { 'X-Api-Key': key, Accept: 'text/event-stream' },
    signal: ending.signal,
  });
  const parser = createParser({
    onEvent({ event = '', data }) {
      if (onEvent(event, JSON.parse(data))) ending.abort();
    },
  });
  try {
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    ))
      parser.feed(text);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  }
  return response;
}

describe('GET /core/v1/transactions/<id>', () => {
  test('returns the transaction with its calldata and where it was mined', async () => {
    const runId = randomUUID();
    const id = await send({ runId, data: '0x1234', value: 5n });
    const record = await untilStatus(id, 'confirmed');
    const receipt = await anvil.client.getTransactionReceipt({ hash: record.hash as `0x${string}` });
    expect(record).toEqual({
      id,
      wallet: wallet.address,
      chain_id: 31_337,
      nonce: expect.any(Number),
      to: '0x00000000000000000000000000000000000000AA',
      value: '5',
      gas: expect.stringMatching(/^\d+$/),
      max_fee_per_gas: expect.stringMatching(/^\d+$/),
      max_priority_fee_per_gas: expect.stringMatching(/^\d+$/),
      status: 'confirmed',
      reason: null,
      hash: record.hash,
      hashes: [record.hash],
      explorer_url: `https://explorer.example/tx/${record.hash}`,
      block_number: Number(receipt.blockNumber),
      cancel_requested_at: null,
      run_id: runId,
      cid: 'cid',
      usage_key_hash: hex(apiKeyHash(runKey)),
      created_at: expect.any(String),
      changed_at: expect.any(String),
      data: '0x1234',
    });
    expect((await ask(`transactions/${id}`, runKey)).status).toBe(200);
  });

  test.each([
    ['another account', () => stranger.key],
    ['another usage key of the account', () => otherRunKey],
  ])('returns 404 for %s', async (_, keyOf) => {
    const id = await send();
    expectError(await ask(`transactions/${id}`, keyOf()), 404);
    expectError(await ask(`transactions?before=${id}`, keyOf()), 404);
  });
});

describe('GET /core/v1/transactions', () => {
  test('lists newest first, by page and filter, and to their callers only', async () => {
    const [first, second] = [await funded(), await funded()];
    const ids = [await send({}, first), await send({}, first), await send({}, first)].reverse();
    const other = await send({ usageKey: apiKeyHash(otherRunKey) }, second);
    for (const id of [...ids, other]) await untilStatus(id, 'confirmed');
    const of = `wallet=${first.address}`;
    expect(await listed(of)).toEqual(ids);
    expect(await listed(`${of}&status=confirmed`)).toEqual(ids);
    expect(await listed(`${of}&page_size=2`)).toEqual(ids.slice(0, 2));
    expect(await listed(`${of}&page_size=2&before=${ids[1]}`)).toEqual(ids.slice(2));
    for (const none of ['status=broadcast', 'status=failed', 'status=queued', 'status=mined'])
      expect(await listed(`${of}&${none}`)).toEqual([]);
    expect((await listed('')).slice(0, 4)).toEqual([other, ...ids]);
    expect(await listed('', otherRunKey)).toEqual([other]);
    const [byOwn, byOther] = [runKey, otherRunKey].map((key) => `usage_key_hash=${hex(apiKeyHash(key))}`);
    expect(await listed(`${byOther}`)).toEqual([other]);
    expect(await listed(`${byOther}&${of}`)).toEqual([]);
    expect(await listed(`${byOwn}&${of}`)).toEqual(ids);
    expect(await listed(`${byOwn}`, otherRunKey)).toEqual([]);
    expect(await listed(of, otherRunKey)).toEqual([]);
    expect(await listed('', stranger.key)).toEqual([]);
  });

  test.each([
    ['page_size=0', 400],
    ['before=1', 400],
    ['wallet=0x12', 400],
    ['status=pending', 422],
  ] as const)('refuses %s with %i', async (query, status) => {
    expectError(await ask(`transactions?${query}`), status);
  });
});

describe('POST /core/v1/cancel_transaction', () => {
  test('cancels a transaction that is not mined, once', async () => {
    const id = await withoutMining(async () => {
      const sent = await send();
      await untilStatus(sent, 'broadcast');
      const { status, body } = await cancel(sent);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: sent, status: 'broadcast', cancel_requested_at: expect.any(String) });
      expect((body as Transaction).hashes).toHaveLength(2);
      expect((await cancel(sent)).body).toMatchObject({ hash: (body as Transaction).hash });
      return sent;
    });
    expect(await untilStatus(id, 'replaced')).toMatchObject({ reason: 'cancelled' });
    expectError(await cancel(id), 409);
  });

  test('returns 409 for a transaction that is mined', async () => {
    const id = await send();
    await untilStatus(id, 'confirmed');
    const reply = await cancel(id);
    expectError(reply, 409);
    expect(reply.body).toMatchObject({
      message: 'The transaction is confirmed: it can no longer be cancelled.',
    });
  });

  test.each([
    ['another account', () => stranger.key],
    ['another usage key of the account', () => otherRunKey],
  ])('returns 404 for %s, and nothing is cancelled', async (_, keyOf) => {
    const id = await withoutMining(async () => {
      const sent = await send();
      expectError(await cancel(sent, keyOf()), 404);
      return sent;
    });
    expect(await untilStatus(id, 'confirmed')).toMatchObject({ cancel_requested_at: null });
  });
});

describe('GET /core/v1/transactions/events', () => {
  test('streams the pending transactions, and each change, to their callers only', async () => {
    const seen: [string, string, string][] = [];
    const opened = Promise.withResolvers<void>();
    const own = await funded();
    await withoutMining(async () => {
      const pending = await send({}, own);
      await untilStatus(pending, 'broadcast');
      let later = '';
      const confirmed = new Set<string>();
      const read = stream(runKey, (name, data) => {
        if (name === 'pending') expect(data).toEqual({ count: 1 });
        if (name === 'pending') opened.resolve();
        const { id, status } = data as Transaction;
        if (name === 'transaction') seen.push([name, id, status]);
        if (status === 'confirmed') confirmed.add(id);
        return confirmed.has(pending) && confirmed.has(later);
      });
      await opened.promise;
      await send({ usageKey: apiKeyHash(otherRunKey) }, own);
      await send({ account: stranger.hash }, await funded());
      later = await send({}, own);
      await untilStatus(later, 'broadcast');
      await anvil.client.mine({ blocks: 1 });
      const response = await read;
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(new Set(seen.map(([, id]) => id))).toEqual(new Set([pending, later]));
      expect(seen[0]).toEqual(['transaction', pending, 'broadcast']);
    });
  });

  test('returns the pending transactions without a stream', async () => {
    await withoutMining(async () => {
      const id = await send();
      const { status, body } = await ask('transactions/events');
      expect(status).toBe(200);
      expect((body as Transaction[]).map((record) => record.id)).toContain(id);
    });
  });

  describe('429', () => {
    let ending: AbortController;
    const open = (key: string) =>
      fetch(`${relayer.url}/core/v1/transactions/events`, {
        headers: { 'X-Api-Key': key, Accept: 'text/event-stream' },
        signal: ending.signal,
      });
    const expectRefusal = async (key: string) => {
      const refused = await open(key);
      expect([refused.status, await refused.json()]).toEqual([429, expect.any(Object)]);
    };
    /** Resolves when a stream of the key can be opened after the others were closed. */
    const close = (key: string) => {
      ending.abort();
      return until('the streams are closed', async () => {
        ending = new AbortController();
        const { status } = await open(key);
        ending.abort();
        return status === 200;
      });
    };
    beforeEach(() => {
      ending = new AbortController();
    });

    test('more than five streams of the owner of an account', async () => {
      for (let i = 0; i < 5; i++) expect((await open(stranger.key)).status).toBe(200);
      await expectRefusal(stranger.key);
      await close(stranger.key);
    });

    test('streams of greedy usage keys, for one without a stream: the newest of the greediest key', async () => {
      const greedy = [];
      for (let i = 0; i < 5; i++) greedy.push(await open(runKey));
      await expectRefusal(runKey);
      for (let i = 0; i < 2; i++) expect((await open(otherRunKey)).status).toBe(200);
      await expectRefusal(otherRunKey);
      expect((await open(await addUsageKey(account.key))).status).toBe(200);
      for (const taken of greedy.slice(2))
        expect(await taken.text()).toMatch(/event: result\ndata: {"status":429,/);
      await expectRefusal(runKey);
      // The owner has streams of its own.
      for (let i = 0; i < 5; i++) expect((await open(account.key)).status).toBe(200);
      await close(runKey);
    });
  });

  test('ends when the relayer stops', async () => {
    const other = await relayer.sibling();
    const opened = Promise.withResolvers<void>();
    let last = '';
    const onEvent = (name: string): boolean => {
      last = name;
      if (name === 'pending') opened.resolve();
      return false;
    };
    const read = stream(stranger.key, onEvent, other.url);
    await opened.promise;
    await Promise.all([other[Symbol.asyncDispose](), read]);
    expect(last).toBe('result');
  });
});
