import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createIdentity,
  createStatement,
  type KeyPurpose,
  type KeyRequest,
  signStatement,
  verifyRequest,
} from '@latchkey/key-protocol';
import { freePort } from '@latchkey/testing/until';
import { encodeGroupParameters } from '@latchkey/threshold';
import { range, split } from '@latchkey/threshold/testing';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AskNodes, createKeyNodes, type NodeAnswer } from './key-nodes.ts';

const { parameters: group } = split(5n, 2, range(3));
const parameters = encodeGroupParameters(group);
const runner = createIdentity('01'.repeat(32));
const relayer = createIdentity('02'.repeat(32));
const ACTION = { kind: 'action', usageKeyHash: '0x1f', cid: 'QmCid' } as const;
const signed = (purpose: KeyPurpose = ACTION) => {
  const recipient = 'cd'.repeat(32);
  return signStatement(
    createStatement({ group: group.groupPublicKey, purpose, withProof: true, recipient }, Date.now()),
    runner,
  );
};

type Reply = { status: number; body: unknown };
const partOf = (identifier: number, epoch = 1): Reply => ({
  status: 200,
  body: { identifier, epoch, partial: 'AAEC', path: null },
});
const refusal: Reply = {
  status: 403,
  body: { error: 'forbidden', message: 'the usage key may not', request_id: '' },
};
const outage: Reply = { status: 503, body: { error: 'service_unavailable', message: '', request_id: '' } };
const otherVersion: Reply = {
  status: 426,
  body: { error: 'bad_request', message: 'the client speaks a.1, Key node a.3, a.2: update the older one' },
};
const limited: Reply = { status: 429, body: { error: 'too_many_requests', message: '', request_id: '' } };

/** Starts nodes with these replies, undefined for none. */
async function startNodes(...replies: (Reply | undefined)[]) {
  const requests: { node: number; request: KeyRequest }[] = [];
  const urls = await Promise.all(
    replies.map(async (reply, i) => {
      const listener: RequestListener = async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString();
        if (body) requests.push({ node: i + 1, request: JSON.parse(body) });
        if (reply) response.writeHead(reply.status).end(JSON.stringify(reply.body));
      };
      const server = createServer(listener).listen(0, '127.0.0.1');
      await new Promise((listening) => server.once('listening', listening));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  let published = parameters;
  let reads = 0;
  const readParameters = async () => {
    reads += 1;
    return published;
  };
  const counts: string[] = [];
  const createFor = (of: string[]) =>
    createKeyNodes({
      urls: of,
      identity: relayer,
      readParameters,
      count: (node, result) => counts.push(`${node} ${result}`),
      log: pino({ level: 'silent' }),
    });
  const nodes = createFor(urls);
  const ask = nodes.askFor(
    ({ purpose: { kind } }) => kind === 'action' || kind === 'sign' || kind === 'nonces',
    7n,
  );
  const publish = (text: string) => {
    published = text;
  };
  return { ask, nodes, requests, counts, publish, urls, createFor, reads: () => reads };
}
const never = () => new AbortController().signal;

test('asks as many nodes as are needed, the others one by one when that is not enough, and passes their answers on', async () => {
  const { ask, requests } = await startNodes(partOf(1), partOf(2), partOf(3), partOf(4));
  const answers: NodeAnswer[] = [];
  await ask(signed(), (answer) => answers.push(answer), never());
  expect(requests).toHaveLength(4);
  expect(answers.map(({ node }) => node).sort()).toEqual([1, 2, 3, 4]);
  expect(answers[0]).toEqual({
    node: expect.any(Number),
    identifier: expect.any(Number),
    partial: 'AAEC',
    path: null,
    parameters,
  });
});

test('reads the published parameters once, and again when a node answers in another epoch', async () => {
  const replies = [1, 2, 3].map((identifier) => partOf(identifier));
  const { ask, publish, reads } = await startNodes(...replies);
  const answers: NodeAnswer[] = [];
  const askAll = () => ask(signed(), (answer) => answers.push(answer), never());
  await askAll();
  await askAll();
  expect(reads()).toBe(1);
  const refreshed = encodeGroupParameters(split(5n, 2, range(3), 2).parameters);
  publish(refreshed);
  for (const [i, reply] of replies.entries()) Object.assign(reply, partOf(i + 1, 2));
  answers.length = 0;
  await askAll();
  await askAll();
  for (const answer of answers) expect(answer.parameters).toBe(refreshed);
  expect(answers).toHaveLength(6);
});

const nonces = { kind: 'nonces', suite: 'ed25519', count: 1 } as const;
const signBy = (...identifiers: number[]): KeyPurpose => ({
  kind: 'sign',
  usageKeyHash: '0x1f',
  cid: 'QmCid',
  wallet: `0x${'12'.repeat(20)}`,
  keyType: 'ed25519',
  message: 'AAAA',
  commitments: identifiers.map((identifier) => ({
    identifier,
    hiding: 'ab'.repeat(32),
    binding: 'cd'.repeat(32),
  })),
});

test('asks the nodes whose nonces a signature uses, concurrently, and no others', async () => {
  const { ask, requests } = await startNodes(partOf(1), partOf(2), partOf(3));
  // The first answer of a node says which one it is.
  await ask(signed(nonces), () => {}, never());
  requests.length = 0;
  const end = await ask(signed(signBy(1, 3)), () => {}, never());
  expect(requests.map(({ node }) => node).sort()).toEqual([1, 3]);
  expect(end).toMatchObject({ isRefused: false });
});

test('asks all nodes for a signature while it does not know their identifiers', async () => {
  const { ask, requests } = await startNodes(partOf(1), partOf(2), partOf(3));
  await ask(signed(signBy(1, 3)), () => {}, never());
  expect(requests).toHaveLength(3);
});

test('refuses a signature that all of its nodes refuse, not one that a single node refuses', async () => {
  const replies = [partOf(1), partOf(2), partOf(3)];
  const { ask } = await startNodes(...replies);
  await ask(signed(nonces), () => {}, never());
  Object.assign(replies[0] ?? {}, refusal);
  expect(await ask(signed(signBy(1, 2)), () => {}, never())).toMatchObject({ isRefused: false });
  Object.assign(replies[1] ?? {}, refusal);
  expect(await ask(signed(signBy(1, 2)), () => {}, never())).toMatchObject({ isRefused: true });
});

test('signs the request for the block of the run', async () => {
  const { ask, requests } = await startNodes(partOf(1), partOf(2), partOf(3));
  await ask(signed(), () => {}, never());
  for (const { request } of requests) {
    expect(request.block).toBe(7);
    const known = { runners: [runner.publicKey], relayers: [relayer.publicKey] };
    verifyRequest(request, { ...known, group: group.groupPublicKey, nowMs: Date.now() });
  }
});

test('asks another node in place of a silent one, and asks the silent one last from then on', async () => {
  const { ask, requests } = await startNodes(outage, partOf(2), partOf(3), partOf(4));
  const answers: NodeAnswer[] = [];
  await ask(signed(), (answer) => answers.push(answer), never());
  expect(answers.map(({ identifier }) => identifier).sort()).toEqual([2, 3, 4]);
  requests.length = 0;
  await ask(signed(), () => {}, never());
  expect(requests.map(({ node }) => node)).toEqual([2, 3, 4, 1]);
});

test('asks a node that gave a wrong answer last for ten minutes, and counts it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { nodes, ask, requests, counts } = await startNodes(partOf(1), partOf(2), partOf(3));
  const order = async () => {
    requests.length = 0;
    await ask(signed(), () => {}, never());
    return requests.map(({ node }) => node).join();
  };
  await order();
  nodes.distrust(1);
  nodes.distrust(9);
  expect(counts.filter((count) => count.endsWith('wrong'))).toEqual(['1 wrong']);
  expect((await order()).at(-1)).toBe('1');
  vi.setSystemTime(Date.now() + 599_000);
  expect((await order()).at(-1)).toBe('1');
  vi.setSystemTime(Date.now() + 1_000);
  expect((await order()).at(-1)).toBe('3');
});

test('returns the refusal when the other nodes are too few', async () => {
  const refused = await startNodes(refusal, refusal, partOf(3));
  expect(await refused.ask(signed(), () => {}, never())).toEqual({
    isRefused: true,
    message: 'the usage key may not',
  });
  const one = await startNodes(refusal, partOf(2), partOf(3));
  expect(await one.ask(signed(), () => {}, never())).toMatchObject({ isRefused: false });
  const down = await startNodes(outage, outage, partOf(3));
  expect(await down.ask(signed(), () => {}, never())).toMatchObject({ isRefused: false });
});

test.each<[string, (Reply | undefined)[], string]>([
  ['503', [outage, outage, partOf(3)], '1 of 3 key nodes answers, 2 are needed'],
  ['429 above a limit', [limited, limited, partOf(3)], '1 of 3 key nodes answers, 2 are needed'],
  ['nothing', [undefined, undefined, partOf(3)], '1 of 3 key nodes answers, 2 are needed'],
  ['nothing, and one refuses', [undefined, undefined, refusal], '1 of 3 key nodes answers, 2 are needed'],
  ['nothing', [undefined, undefined, undefined], '0 of 3 key nodes answer, 2 are needed'],
  [
    'what the runner cannot use',
    [partOf(1), partOf(2), outage],
    'the answers of the key nodes do not give the key',
  ],
])(
  'tells within two seconds how many nodes answer when the others answer %s',
  async (_, replies, message) => {
    const { ask } = await startNodes(...replies);
    const startedAt = performance.now();
    expect(await ask(signed(), () => {}, never())).toEqual({ isRefused: false, message });
    expect(performance.now() - startedAt).toBeLessThan(1_900);
  },
);

test('tells within two seconds how many nodes answer when the others refuse connections', async () => {
  const { urls, createFor } = await startNodes(partOf(1));
  const down = await freePort();
  const nodes = createFor([...urls, `http://127.0.0.1:${down}`, `http://127.0.0.2:${down}`]);
  const startedAt = performance.now();
  const message = '1 of 3 key nodes answers, 2 are needed';
  expect(await nodes.askFor(() => true, 7n)(signed(), () => {}, never())).toEqual({
    isRefused: false,
    message,
  });
  expect(performance.now() - startedAt).toBeLessThan(1_900);
});

test('asks no node for the key of another run', async () => {
  const { nodes, requests } = await startNodes(partOf(1), partOf(2), partOf(3));
  const ask = nodes.askFor(() => false, 0n);
  expect(await ask(signed(), () => {}, never())).toMatchObject({ isRefused: true });
  expect(requests).toEqual([]);
});

/** Asks until two nodes have answered. */
async function askForTwo(ask: AskNodes): Promise<NodeAnswer[]> {
  const enough = new AbortController();
  const answers: NodeAnswer[] = [];
  const onAnswer = (answer: NodeAnswer) => {
    if (answers.push(answer) === 2) enough.abort();
  };
  await ask(signed(), onAnswer, enough.signal);
  return answers;
}

test('counts the result of the request to each node', async () => {
  const { ask, counts } = await startNodes(partOf(1), refusal, outage);
  await ask(signed(), () => {}, never());
  expect(counts.sort()).toEqual(['1 answered', '2 refused', '3 failed']);
});

test('is healthy while enough nodes are, and names the others', async () => {
  const ok: Reply = { status: 200, body: { status: 'ok' } };
  await expect((await startNodes(ok, ok, outage)).nodes.ping()).resolves.toBeUndefined();
  const behind: Reply = { status: 503, body: { status: 'behind' } };
  const down: Reply = { status: 503, body: { status: 'down' } };
  await expect((await startNodes(ok, behind, ok)).nodes.ping()).resolves.toBeUndefined();
  await expect((await startNodes(ok, behind, outage)).nodes.ping()).rejects.toThrow(
    '1 of 3 key nodes work, 2 are needed: node 2 is behind, node 3 does not answer',
  );
  await expect((await startNodes(down, ok, behind)).nodes.ping()).rejects.toThrow(
    '1 of 3 key nodes work, 2 are needed: node 1 is down, node 3 is behind',
  );
});

test('names the nodes that wait before they deal in a newly approved group', async () => {
  const healthy = (approval: object | null): Reply => ({ status: 200, body: { status: 'ok', approval } });
  const waits = { state: 'waiting', remaining_sec: 3_600, since_sec: 1_700_000_000 };
  const { nodes } = await startNodes(
    healthy({ state: 'accepted', remaining_sec: 0, since_sec: null }),
    healthy(waits),
    healthy(null),
    outage,
    { status: 503, body: { status: 'behind', approval: waits } },
    healthy({ ...waits, remaining_sec: 1e15 }),
  );
  const untilSec = Date.now() / 1_000 + 3_600;
  const found = await nodes.waiting();
  expect(found.map(({ node, sinceSec }) => [node, sinceSec])).toEqual([
    [2, 1_700_000_000],
    [5, 1_700_000_000],
  ]);
  for (const each of found) expect(Math.abs(each.untilSec - untilSec)).toBeLessThan(5);
});

test('asks no more nodes when the runner has enough', async () => {
  const { ask, requests } = await startNodes(partOf(1), partOf(2), partOf(3));
  expect(await askForTwo(ask)).toHaveLength(2);
  expect(requests).toHaveLength(2);
});

test('asks one more node when one is silent', async () => {
  const { ask, requests } = await startNodes(partOf(1), undefined, partOf(3));
  const answers = await askForTwo(ask);
  expect(answers.map(({ identifier }) => identifier)).toEqual([1, 3]);
  expect(requests).toHaveLength(3);
});

test('treats a malformed reply as no answer', async () => {
  const long = { ...partOf(3), body: { ...(partOf(3).body as object), more: 'x'.repeat(20_000) } };
  for (const malformed of [{ status: 200, body: { identifier: 0, partial: '<html>' } }, long]) {
    const { ask } = await startNodes(malformed, malformed, malformed);
    const answers: NodeAnswer[] = [];
    expect(await ask(signed(), (answer) => answers.push(answer), never())).toMatchObject({
      isRefused: false,
    });
    expect(answers).toEqual([]);
  }
});

test('nodes of another version count as down, and health names both versions', async () => {
  const ok = { status: 200, body: { status: 'ok' } };
  const { ask, nodes } = await startNodes(otherVersion, otherVersion, ok);
  await expect(nodes.ping()).rejects.toThrow(
    'node 1 is of another version: the client speaks a.1, Key node a.3, a.2: update the older one',
  );
  expect(await ask(signed(), () => {}, never())).toMatchObject({ isRefused: false });
});
