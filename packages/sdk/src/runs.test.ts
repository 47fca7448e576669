import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createClient } from './index.ts';

const url = 'http://localhost';
const apiKey = Buffer.alloc(32, 7).toString('base64');
const code = 'function main() {}';

/** A fetch that records URLs and answers with the reply. */
function answering(reply: unknown) {
  const urls: string[] = [];
  const answer: typeof fetch = async (input) => {
    urls.push(String(input));
    return Response.json(reply);
  };
  return { fetch: answer, urls };
}
/** A fetch that ends only with its signal. */
const silent: typeof fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

const record = (id: string) => ({
  id,
  usage_key_hash: '0x1',
  cid: null,
  status: 'running',
  error_name: null,
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: null,
  duration_ms: null,
  cpu_ms: null,
  memory_peak_bytes: null,
  charged_micros: null,
  key_operations: [],
  fetch_hosts: [],
  receipt: null,
});

test('a full page of runs has the parameters of the next one', async () => {
  const { fetch, urls } = answering([record('b'), record('a')]);
  const client = createClient({ url, apiKey, fetch });
  const { items, nextPage } = await client.listRuns({ pageSize: 2, status: 'running', usageKey: 5n });
  expect(items.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(nextPage).toEqual({ pageSize: 2, status: 'running', usageKey: 5n, before: 'a' });
  await client.listRuns(nextPage);
  const { searchParams } = new URL(urls[1] ?? '');
  expect(Object.fromEntries(searchParams)).toEqual({
    page_size: '2',
    before: 'a',
    status: 'running',
    usage_key_hash: `0x${'5'.padStart(64, '0')}`,
  });
  expect((await client.listRuns({ pageSize: 3 })).nextPage).toBeUndefined();
  expect((await client.listRuns()).nextPage).toBeUndefined();
});

test('the timeout of the client does not end a run', async () => {
  const client = createClient({ url, apiKey, timeoutMs: 20, runTimeoutMs: 200, fetch: silent });
  const startedAt = performance.now();
  await expect(client.runAction({ code })).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - startedAt).toBeGreaterThan(150);
  await expect(client.getVersion()).rejects.toMatchObject({ code: 'timeout' });
  const long = createClient({ url, apiKey, runTimeoutMs: 60_000, fetch: silent });
  await expect(long.runAction({ code }, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' });
});

test('a call without a usage key names itself and the fix', async () => {
  const client = createClient({ url });
  const fix = 'Pass the text of the key as usageKey, or create the client with it as apiKey.';
  await expect(client.runAction({ code })).rejects.toMatchObject({
    code: 'configuration',
    message: 'runAction requires a usage key',
    fix,
  });
  await expect(client.explainExecution({ cid: 1n })).rejects.toMatchObject({
    message: 'explainExecution requires a usage key',
    fix,
  });
  const wallet = createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    transport: http(url),
  });
  const own = createClient({ url, wallet });
  for (const call of [
    own.runAction({ code } as Parameters<typeof own.runAction>[0]),
    own.explainExecution({ cid: 1n } as Parameters<typeof own.explainExecution>[0]),
  ])
    await expect(call).rejects.toMatchObject({ code: 'configuration', fix: 'Pass usageKey.' });
});

test('explainExecution sends a CID as text and its hash as such', async () => {
  const { fetch, urls } = answering({ action: { permitted: true, rule: 'group', group_id: '1' } });
  const client = createClient({ url, apiKey, fetch });
  await client.explainExecution({ cid: 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD' });
  await client.explainExecution({ cid: 5n });
  expect(urls.map((sent) => new URL(sent).search)).toEqual([
    '?cid=Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD',
    `?hashed_cid=0x${'5'.padStart(64, '0')}`,
  ]);
});

test('sendTransaction sends amounts as decimal text, and absent ones as null', async () => {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push([new URL(String(input)).pathname, JSON.parse(String(init?.body))]);
    return Response.json({ id: 'a', hash: '0x12', nonce: 3 });
  };
  const client = createClient({ url, apiKey, fetch });
  const pkpId = '0x000000000000000000000000000000000000dEaD';
  const transaction = { pkpId, chainId: 5, to: null, value: 2n ** 100n, data: '0x12' } as const;
  expect(await client.sendTransaction(transaction)).toEqual({ id: 'a', hash: '0x12', nonce: 3 });
  const body = { pkp_id: pkpId, chain_id: 5, to: null, value: String(2n ** 100n), data: '0x12' };
  expect(sent).toEqual([['/core/v1/send_transaction', { ...body, gas: null, max_fee_per_gas: null }]]);
});
