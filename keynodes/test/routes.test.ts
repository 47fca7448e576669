import {
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  type Identity,
  signReleaseQuery,
  signStatement,
} from '@latchkey/key-protocol';
import { describe, expect, test } from 'vitest';
import { startConfigurationOnly, startNode } from './key-nodes.ts';

test('a node answers without a share, and 503 without a chain', async () => {
  await using deployed = await startConfigurationOnly();
  await using node = await startNode(deployed);
  const get = async (path: string) => {
    const response = await fetch(`${node.url}${path}`);
    return { status: response.status, body: await response.json() };
  };
  const { publicKey } = node.context.identity;
  expect(await get('/v1/node')).toEqual({
    status: 200,
    body: { public_key: publicKey, identifier: null, epoch: null },
  });
  expect(await get('/health')).toMatchObject({
    status: 503,
    body: {
      status: 'down',
      chain: { ok: true },
      block: { ok: true },
      share: { ok: false },
      requests: { ok: false },
    },
  });
  // Requests that it may have accepted before its start have expired after two seconds.
  await expect.poll(() => get('/health')).toMatchObject({ body: { requests: { ok: true } } });
  expect(await get(`/attestation?nonce=${'00'.repeat(32)}`)).toMatchObject({ status: 404 });
  expect(await get(`/v1/runner_attestation?runner=${publicKey}`)).toMatchObject({ status: 404 });

  await deployed[Symbol.asyncDispose]();
  const isDown = {
    status: 503,
    body: { error: 'service_unavailable' },
  };
  await expect.poll(() => get('/v1/node')).toMatchObject(isDown);
  await expect.poll(() => get('/health')).toMatchObject({ status: 503, body: { chain: { ok: false } } });
});

const queryOf = (signer: Identity) =>
  signReleaseQuery({ path: '0x5', nonce: 'ab'.repeat(16), before: null, limit: 1 }, signer, Date.now());

describe('POSTs of one address', () => {
  const [runner, relayer] = [createIdentity('01'.repeat(32)), createIdentity('02'.repeat(32))];
  const stranger = createIdentity('03'.repeat(32));
  const settings = {
    RUNNER_KEYS: runner.publicKey,
    RELAYER_KEYS: relayer.publicKey,
    BAD_POSTS_PER_MINUTE: '5',
    TRUST_PROXY: '1',
  };
  const open = async () => {
    const deployed = await startConfigurationOnly();
    const node = await startNode(deployed, settings);
    const { publicKey } = await createRecipient();
    const requestOf = (signer = relayer) => {
      const purpose = { kind: 'mint-wallet', path: '0x5' } as const;
      const fields = { group: 'ab'.repeat(32), purpose, withProof: true, recipient: publicKey };
      return cosign(signStatement(createStatement(fields, Date.now()), runner), 1, signer);
    };
    const post = (ip: string, body: unknown, path = '/v1/release') =>
      fetch(`${node.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
        body: JSON.stringify(body),
      });
    return {
      requestOf,
      post,
      async [Symbol.asyncDispose]() {
        await node[Symbol.asyncDispose]();
        await deployed[Symbol.asyncDispose]();
      },
    };
  };

  test.each<[string, (of: Awaited<ReturnType<typeof open>>) => [unknown, string?], number]>([
    ['malformed POSTs', () => [{ a: 1 }], 422],
    ['POSTs to unknown paths', () => [{}, '/v1/nonsense'], 404],
    ['requests of unknown relayers', ({ requestOf }) => [requestOf(stranger)], 503],
    ['queries of unknown relayers', () => [queryOf(stranger), '/v1/releases'], 403],
    ['commands that the operator has not signed', () => [{ ...badCommand }, '/v1/dealing'], 403],
  ])('are 429 after too many %s, but not for a relayer at another address', async (_, make, status) => {
    await using node = await open();
    for (let i = 0; i < 5; i++) expect((await node.post('192.0.2.1', ...make(node))).status).toBe(status);
    for (const of of [make(node), [node.requestOf()] as [unknown, string?]]) {
      const refused = await node.post('192.0.2.1', ...of);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // Unavailable, because this node has no share.
    expect((await node.post('192.0.2.2', node.requestOf())).status).toBe(503);
  });

  test('return what was released to known relayers', async () => {
    await using node = await open();
    const reply = await node.post('192.0.2.1', queryOf(relayer), '/v1/releases');
    expect(reply.status).toBe(200);
    const { head, entries } = (await reply.json()) as { head: string; entries: string[] };
    expect(JSON.parse(head)).toMatchObject({ path: '0x5', nonce: 'ab'.repeat(16), sequence: 0 });
    expect(entries).toEqual([]);
  });

  test('do not count when a known relayer has signed them', async () => {
    await using node = await open();
    for (let i = 0; i < 20; i++) expect((await node.post('192.0.2.1', node.requestOf())).status).toBe(503);
  });
});

const badCommand = {
  command: {
    version: 1,
    id: '00'.repeat(16),
    node: '00'.repeat(32),
    boot: '00'.repeat(16),
    expiresAt: 1_800_000_030_000,
    action: { do: 'show' },
  },
  signature: '00'.repeat(64),
};

test('health says that a node is behind, and why; metrics show the age of its block', async () => {
  await using deployed = await startConfigurationOnly();
  const { chain } = deployed;
  const nowSec = () => Math.floor(Date.now() / 1_000);
  chain.timestampSec = nowSec();
  await using node = await startNode(deployed, { MAX_BLOCK_AGE_SEC: '600' });
  const blockHealth = async () => {
    const response = await fetch(`${node.url}/health`);
    const { status, chain: answers, block } = (await response.json()) as Record<string, object>;
    return { status, answers, block };
  };
  const works = { answers: { ok: true }, block: { ok: true } };
  await expect.poll(blockHealth).toMatchObject(works);
  for (const [fault, detail] of [
    [{ timestampSec: nowSec() - 700 }, /^the newest block is 70\d s old, the limit is 600 s$/],
    [{ timestampSec: nowSec() + 60 }, /^the newest block is \d\d s ahead of the clock of this node$/],
    [{ id: 5 }, /^an RPC endpoint is of chain 5, not 31337$/],
  ] as const) {
    Object.assign(chain, { id: 31_337, timestampSec: nowSec(), ...fault });
    const block = { ok: false, detail: expect.stringMatching(detail), since: expect.any(String) };
    await expect.poll(blockHealth).toEqual({ status: 'behind', answers: { ok: true }, block });
    expect(await fetch(`${node.url}/v1/node`)).toMatchObject({ status: 503 });
    Object.assign(chain, { id: 31_337, timestampSec: nowSec() });
    await expect.poll(blockHealth).toMatchObject(works);
  }
  const metrics = await node.context.metrics.metrics();
  expect(metrics).toMatch(/^chain_block_age_seconds [0-9.]+$/m);
  expect(metrics).toMatch(/^chain_clock_difference_seconds -?[0-9.]+$/m);
});
