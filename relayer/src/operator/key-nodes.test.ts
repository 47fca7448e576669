import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeApprovedNodes } from '@latchkey/key-protocol';
import { groupParameters } from '@latchkey/testing/key-nodes';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyGroupOf, readKeyNodes } from './key-nodes.ts';

const identity = 'ab'.repeat(32);
const healthy = { status: 'ok', version: '1.2.3', approval: null };
const idle = { public_key: identity, current: { identifier: 2, parameters: groupParameters }, dealing: null };

/** Starts a node with these replies, and returns how the operator sees it. */
async function viewOf(health: { status?: number; body: unknown }, dealing: unknown) {
  const server = createServer(({ url }, response) => {
    const [status, body] = url === '/health' ? [health.status ?? 200, health.body] : [200, dealing];
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return (await readKeyNodes([`http://127.0.0.1:${port}`]))[0];
}

describe('a key node', () => {
  test('tells its version, its share and its dealing', async () => {
    const dealing = { round: 'commitments', missing: [1, 3], faults: [{ reason: 'late' }], messages: [] };
    expect(await viewOf({ body: healthy }, { ...idle, dealing })).toEqual({
      node: 1,
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      version: '1.2.3',
      public_key: identity,
      identifier: 2,
      epoch: 1,
      fault: null,
      waits_until: null,
      dealing: { round: 'commitments', missing: [1, 3], faults: 1 },
    });
  });

  test('that is behind has a fault, and one that waits has a time', async () => {
    expect(await viewOf({ status: 503, body: { status: 'behind' } }, idle)).toMatchObject({
      version: null,
      fault: 'is behind',
    });
    const approval = { state: 'waiting', remaining_sec: 60, since_sec: 1 };
    const view = await viewOf({ body: { ...healthy, approval } }, idle);
    expect(Math.abs((view?.waits_until ?? 0) - Date.now() / 1_000 - 60)).toBeLessThan(10);
  });

  test.each([
    ['a text', '"dealing"'],
    ['an identity with other characters', { ...idle, public_key: '<img>' }],
    ['a round of a megabyte', { ...idle, dealing: { round: 'x'.repeat(2 ** 20), missing: [], faults: [] } }],
    [
      'a megabyte of faults',
      { ...idle, dealing: { round: null, missing: [], faults: ['x'.repeat(2 ** 20)] } },
    ],
  ])('that sends %s shows its health, and no dealing', async (_what, dealing) => {
    expect(await viewOf({ body: healthy }, dealing)).toMatchObject({
      fault: null,
      public_key: null,
      identifier: null,
      dealing: null,
    });
  });

  test('of another version, or with a malformed health, has a fault', async () => {
    const long = 'v'.repeat(1_000);
    expect(await viewOf({ body: { ...healthy, version: long } }, idle)).toMatchObject({ version: null });
    expect(await viewOf({ body: [] }, idle)).toMatchObject({ fault: 'does not answer' });
    expect(await viewOf({ status: 426, body: { message: 'update' } }, idle)).toMatchObject({
      fault: 'is of another version: update',
    });
  });
});

describe('the group', () => {
  const group = { key: 'key-nodes', value: groupParameters };

  test('comes from the node configuration, with the one that is approved', () => {
    const approved = { threshold: 2, identities: [identity] };
    const configuration = [group, { key: 'approved-key-nodes', value: encodeApprovedNodes(approved) }];
    expect(keyGroupOf(configuration)).toEqual({ epoch: 1, threshold: 2, nodes: 3, approved });
  });

  test('is absent when the configuration has none, or a malformed one', () => {
    expect(keyGroupOf([])).toBeNull();
    expect(keyGroupOf([{ key: 'key-nodes', value: 'x' }])).toBeNull();
    expect(keyGroupOf([group, { key: 'approved-key-nodes', value: 'x' }])).toMatchObject({ approved: null });
  });
});
