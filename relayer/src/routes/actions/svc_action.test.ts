import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  call,
  cidOfCode,
  createWallet,
  describeBadBodies,
  expectError,
  expectWritten,
  hex,
  newAccount,
  payAndConfirm,
  post,
  stack,
} from '@latchkey/testing/stack';
import { verifyMessage } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';
import { createIndexerClient, IndexerUnavailableError } from '../../indexer-client.ts';

// Some tests start their own relayer, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const signer = `async function main({ pkpId, text }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  console.log('signing', text);
  return { signature: await wallet.signMessage(text) };
}`;
type Result = {
  response: unknown;
  logs: string;
  has_error: boolean;
  error?: { name: string; message: string };
};

const account = await newAccount();
const cid = await cidOfCode(signer);
const pkpId = await createWallet(account.key);
const group = await addGroup(account.key, {
  pkp_ids_permitted: [pkpId],
  cid_hashes_permitted: [hex(cidHash(cid))],
});
const usageKey = await addUsageKey(account.key, { execute_in_groups: [group] });

const run = async (body: object, key = usageKey, headers?: Record<string, string>): Promise<Result> => {
  const reply = await post('svc_action', body, key, headers);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-run-id')).toMatch(/^[0-9a-f-]{36}$/);
  return reply.body as Result;
};
/** A key that is permitted to run every action. */
const wildcard = () => addUsageKey(account.key, { execute_in_groups: [0] });

describe('200', () => {
  test('code of any origin signs with a wallet of the group', async () => {
    const result = await run({ code: signer, js_params: { pkpId, text: 'hi' } });
    expect(result).toMatchObject({ logs: 'signing hi\n', has_error: false });
    const { signature } = result.response as { signature: `0x${string}` };
    expect(await verifyMessage({ address: pkpId, message: 'hi', signature })).toBe(true);
  });

  test('runs by CID once the code has run; code takes precedence over ipfs_id', async () => {
    await run({ code: signer, js_params: { pkpId, text: 'a' } });
    const byCid = await run({ ipfs_id: cid, js_params: { pkpId, text: 'a' } });
    expect(byCid).toMatchObject({ has_error: false, response: { signature: expect.stringMatching(/^0x/) } });
    const other = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH';
    expect(await run({ code: signer, ipfs_id: other, js_params: { pkpId, text: 'a' } })).toEqual(byCid);
  });

  test('treats empty code as absent', async () => {
    const js_params = { pkpId, text: 'empty' };
    const given = await run({ code: signer, js_params });
    expect(await run({ code: '', ipfs_id: cid, js_params })).toEqual(given);
  });

  test('encrypts and decrypts; a wildcard does not permit a wallet outside all groups', async () => {
    const code = `async function main({ pkpId }) {
      const ciphertext = await Svc.Actions.Encrypt({ pkpId, message: 'sécret' });
      return { text: await Svc.Actions.Decrypt({ pkpId, ciphertext }), ciphertext };
    }`;
    const key = await wildcard();
    const refused = await run({ code, js_params: { pkpId } }, key);
    expect(refused).toMatchObject({
      has_error: true,
      response: null,
      error: { name: 'WalletNotPermittedError' },
    });
    const body = { group_id: group, action_ipfs_cid: await cidOfCode(code) };
    expectWritten(await post('add_action_to_group', body, account.key));
    expect(await run({ code, js_params: { pkpId } }, key)).toMatchObject({
      has_error: false,
      response: { text: 'sécret', ciphertext: expect.stringMatching(/^[0-9a-f]+$/) },
    });
  });

  test('returns an error of the action with the logs so far', async () => {
    const code = `function main() { console.log('before'); throw new TypeError('oops'); }`;
    expect(await run({ code }, await wildcard())).toMatchObject({
      response: null,
      logs: 'before\n',
      has_error: true,
      error: { name: 'TypeError', message: 'oops', stack: expect.stringContaining('oops') },
    });
  });

  test('returns an error for parameters above their limit', async () => {
    const body = { code: 'function main() {}', js_params: { text: 'x'.repeat(1_048_576) } };
    expect(await run(body, await wildcard())).toMatchObject({
      has_error: true,
      error: { name: 'ParamsLimitError' },
    });
  });

  test('json_params are the JSON in other parameters, or their text', async () => {
    const body = {
      code: 'const main = ({ a, ...others }) => ({ a, others })',
      js_params: { raw: '\ufeff{"b": [1]}', text: '{no', bare: '' },
      json_params: { a: 'raw', t: 'text', __proto__x: 'bare' },
    };
    expect((await run(body, await wildcard())).response).toEqual({
      a: { b: [1] },
      others: { raw: '\ufeff{"b": [1]}', text: '{no', bare: '', t: '{no', __proto__x: '' },
    });
  });

  test('returns "" for no return value, and parses a JSON text', async () => {
    const key = await wildcard();
    expect((await run({ code: 'function main() {}', js_params: null }, key)).response).toBe('');
    expect((await run({ code: `function main() { return '{"a":1}' }` }, key)).response).toEqual({ a: 1 });
  });

  test('a retry with the same Idempotency-Key does not run again', async () => {
    const code = 'function main() { return { n: Math.random() } }';
    const headers = { 'Idempotency-Key': 'run' };
    const key = await wildcard();
    const results = await Promise.all([1, 2, 3].map(() => run({ code }, key, headers)));
    results.push(await run({ code }, key, headers));
    for (const result of results) expect(result).toEqual(results[0]);
  });
});

describeBadBodies('svc_action', 400, () => usageKey, [
  { ipfs_id: 'Qm' },
  { ipfs_id: hex(1n) },
  { code: '\ud800' },
]);

describe('401', () => {
  test('for a removed key from the very next request', async () => {
    const key = await wildcard();
    await run({ code: 'function main() {}' }, key);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: key }, account.key));
    expectError(await post('svc_action', { code: 'function main() {}' }, key), 401);
  });

  test('for an expired key', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0], expiration: 1_000_000_000 });
    expectError(await post('svc_action', { code: signer }, key), 401, /expired/);
  });
});

describe('403', () => {
  test('for an account key', async () => {
    expectError(
      await post('svc_action', { code: signer }, account.key),
      403,
      /^Account keys cannot run actions/,
    );
  });

  test('for an action that no group permits, and does not store its code', async () => {
    const code = `function main() { return ${Math.random()} }`;
    expectError(await post('svc_action', { code }, usageKey), 403);
    expectError(await post('svc_action', { ipfs_id: await cidOfCode(code) }, usageKey), 404);
  });

  test('from the first request after the permission was removed', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [group] });
    await run({ code: signer, js_params: { pkpId, text: 'a' } }, key);
    expectWritten(await post('update_usage_api_key', { usage_api_key: key }, account.key));
    expectError(await post('svc_action', { code: signer, js_params: { pkpId, text: 'a' } }, key), 403);
  });
});

describe('a run that loses its permission ends', () => {
  const sleeper = 'const main = () => new Promise((done) => setTimeout(done, 60_000))';
  /** Starts a run of the key and resolves when it is in flight. The key allows one concurrent run. */
  const started = async (key: string): Promise<{ ended: Promise<Result> }> => {
    // A probe that arrives first makes the sleeper wait.
    const sleep = async (): Promise<Result> => {
      const reply = await post('svc_action', { code: sleeper }, key);
      return reply.status === 429 ? sleep() : (reply.body as Result);
    };
    const ended = sleep();
    const probe = () => post('svc_action', { code: 'const main = () => 1' }, key);
    await expect.poll(async () => (await probe()).status).toBe(429);
    return { ended };
  };
  const stopped = { has_error: true, response: null, error: { name: 'PermissionError' } };
  const capped = (fields: object) => addUsageKey(account.key, { max_concurrency: 1, ...fields });

  test('when its key is removed', async () => {
    const key = await capped({ execute_in_groups: [0] });
    const { ended } = await started(key);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: key }, account.key));
    expect(await ended).toMatchObject(stopped);
  });

  test('when the action is removed from the group', async () => {
    const ownGroup = await addGroup(account.key, { cid_hashes_permitted: [hex(0n)] });
    const key = await capped({ execute_in_groups: [ownGroup] });
    const { ended } = await started(key);
    expectWritten(await post('remove_group', { group_id: ownGroup }, account.key));
    expect(await ended).toMatchObject(stopped);
  });

  test('when its key expires', async () => {
    const key = await capped({ execute_in_groups: [0] });
    const { ended } = await started(key);
    const expiration = Math.floor(Date.now() / 1_000) + 8;
    expectWritten(
      await post('set_usage_api_key_expiration', { usage_api_key: key, expiration }, account.key),
    );
    expect(await ended).toMatchObject(stopped);
  });
});

test('returns 404 for a CID whose code is unknown', async () => {
  const ipfs_id = 'QmYCTciJdFNMNUPCHSNS6dKMmUAqkGQ9tQQeGgbELhQQcn';
  expectError(await post('svc_action', { ipfs_id }, await wildcard()), 404);
});

test('returns 409 for the same Idempotency-Key with other parameters', async () => {
  const headers = { 'Idempotency-Key': 'two' };
  const key = await wildcard();
  await run({ code: 'function main() {}' }, key, headers);
  expectError(
    await post('svc_action', { code: 'function main() {}', js_params: { a: 1 } }, key, headers),
    409,
  );
});

describe('code is stored', () => {
  const hello = () => `function main() { return ${Math.random()} }`;

  test('of a paid run, but not of a run that found no process', async () => {
    await using relayer = await ownRelayer({ MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '1' });
    const key = await wildcard();
    await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
    const runOn = (body: object) => call('POST', 'svc_action', { key, body }, relayer.url);
    const codes = [1, 2, 3].map(
      (n) => `async function main() { await new Promise((done) => setTimeout(done, 500)); return ${n} }`,
    );
    const statuses = await Promise.all(codes.map(async (code) => (await runOn({ code })).status));
    expect([...statuses].sort()).toEqual([200, 200, 503]);
    for (const [index, code] of codes.entries()) {
      const { status } = await runOn({ ipfs_id: await cidOfCode(code) });
      expect(status).toBe(statuses[index] === 200 ? 200 : 404);
    }
  });

  test('from the gateway after a paid run, but not after a refused one', async () => {
    const code = hello();
    const ipfs_id = await cidOfCode(code);
    let isServed = true;
    const gateway = createServer((_req, res) => {
      res.statusCode = isServed ? 200 : 404;
      res.end(code);
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    const { port } = gateway.address() as AddressInfo;
    await using relayer = await ownRelayer({ IPFS_GATEWAY_URL: `http://127.0.0.1:${port}` });
    await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
    const runWith = (key: string) => call('POST', 'svc_action', { key, body: { ipfs_id } }, relayer.url);
    const permitted = await wildcard();

    expectError(await runWith(usageKey), 403);
    isServed = false;
    expectError(await runWith(permitted), 404);
    isServed = true;
    expect((await runWith(permitted)).status).toBe(200);
    isServed = false;
    expect((await runWith(permitted)).status).toBe(200);
    gateway.close();
  });
});

test('the indexer knows which CIDs are registered', async () => {
  const indexer = createIndexerClient({ urls: [stack.indexerUrl], timeoutMs: 15_000 });
  const unknown = await cidOfCode(`function main() { return ${Math.random()} }`);
  const block = expectWritten(
    await post('add_action', { name: 'a', description: '', action_ipfs_cid: unknown }, account.key),
  );
  const other = await cidOfCode(`function main() { return ${Math.random()} }`);
  expect(await indexer.registeredCids([unknown, other], block)).toEqual(new Set([unknown]));
  await expect(
    createIndexerClient({ urls: [stack.url], timeoutMs: 15_000 }).registeredCids([unknown], block),
  ).rejects.toThrow(IndexerUnavailableError);
});

describeBadBodies('svc_action', 422, () => usageKey, [
  {},
  { code: '' },
  { code: '', ipfs_id: null },
  { code: null },
  { code: 5 },
  { code: signer, js_params: [] },
  { code: signer, js_params: 'a' },
  { code: signer, json_params: { a: 'b' } },
  { code: signer, js_params: { b: 1 }, json_params: { a: 'b' } },
  { code: signer, js_params: { a: '', b: '' }, json_params: { a: 'b' } },
  { code: signer, js_params: { b: '1' }, json_params: { c: 'b', d: 'b', e: 'b', f: 'b', g: 'b' } },
]);

test('returns 429 for an account that has its share of runs, while another account runs', async () => {
  await using relayer = await ownRelayer({
    MAX_CONCURRENT_RUNS_PER_ACCOUNT: '1',
    MAX_QUEUED_RUNS_PER_ACCOUNT: '1',
  });
  const { url } = relayer;
  const neighbour = await newAccount();
  for (const { key } of [account, neighbour]) await payAndConfirm({ 'X-Api-Key': key }, { url });
  const key = await wildcard();
  const body = { code: 'const main = () => new Promise((done) => setTimeout(done, 4_000))' };
  const flood = Array.from({ length: 10 }, () => call('POST', 'svc_action', { key, body }, url));
  const hello = await call(
    'POST',
    'svc_action',
    {
      key: await addUsageKey(neighbour.key, { execute_in_groups: [0] }),
      body: { code: 'const main = () => "hello"' },
    },
    url,
  );
  expect(hello).toMatchObject({ status: 200, body: { response: 'hello' } });
  const replies = await Promise.all(flood);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
  const refused = replies.filter(({ status }) => status !== 200);
  for (const reply of refused) {
    expectError(reply, 429, /Too many runs/);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await post('svc_action', { code: signer }, usageKey, { 'X-Min-Block': '99999999' }), 400);
});

describe('503', () => {
  test('more runs than can run and wait', async () => {
    await using relayer = await ownRelayer({ MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '1' });
    const key = await wildcard();
    await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
    const body = { code: 'async function main() { await new Promise((done) => setTimeout(done, 500)) }' };
    const replies = await Promise.all(
      [1, 2, 3].map(() => call('POST', 'svc_action', { key, body }, relayer.url)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    const refused = replies.find(({ status }) => status === 503);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
