import { expect, test } from 'vitest';
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
    body: { chain: { ok: true }, share: { ok: false }, requests: { ok: false } },
  });
  // Requests that it may have accepted before its start have expired after two seconds.
  await expect.poll(() => get('/health')).toMatchObject({ body: { requests: { ok: true } } });
  expect(await get('/attestation')).toMatchObject({ status: 404 });

  await deployed[Symbol.asyncDispose]();
  const isDown = {
    status: 503,
    body: { error: 'service_unavailable' },
  };
  await expect.poll(() => get('/v1/node')).toMatchObject(isDown);
  await expect.poll(() => get('/health')).toMatchObject({ status: 503, body: { chain: { ok: false } } });
});
