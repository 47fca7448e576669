import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestNode } from './key-nodes.ts';
import {
  type Deployed,
  outputOf,
  type Run,
  runnerFor,
  sharesOf,
  startDeployed,
  startNode,
} from './key-nodes.ts';

const INPUT = new TextEncoder().encode('an input');

let deployed: Deployed;
let nodes: TestNode[];
let run: Run;
const first = (count: number): TestNode[] => nodes.slice(0, count);
const published = () => deployed.configuration().read('key-nodes');
async function metricsOf(node: TestNode | undefined): Promise<Record<string, string>> {
  const text = (await node?.context.metrics.metrics()) ?? '';
  return Object.fromEntries(text.split('\n').map((line) => line.split(' ')));
}
const statusOf = async ({ url }: TestNode) => (await fetch(`${url}/health`)).status;

beforeAll(async () => {
  deployed = await startDeployed();
  nodes = [];
  for (let i = 0; i < 4; i++) nodes.push(await startNode(deployed));
  run = runnerFor(deployed);
});
afterAll(async () => {
  for (const node of nodes ?? []) await node[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
});

describe('the life of a group', () => {
  let output: string;

  test('a dry run prints the nodes and changes nothing', async () => {
    const lines = await run({ kind: 'generation', nodes: first(3), threshold: 2, isDryRun: true });
    for (const { url, context } of first(3))
      expect(lines.some((line) => line.includes(url) && line.includes(context.identity.publicKey))).toBe(
        true,
      );
    expect(lines.at(-1)).toBe('dry run: nothing was sent');
    expect(await published()).toBe('');
    for (const { context } of nodes) expect(context.store.read().dealing).toBeNull();
  });

  test('generation gives every node a share of the published group, and no file has a share in clear', async () => {
    await run({ kind: 'generation', nodes: first(3), threshold: 2 });
    expect(await published()).toMatch(/^latchkey-threshold\/1;epoch=1;threshold=2;/);
    await expect.poll(() => Promise.all(first(3).map(statusOf))).toEqual([200, 200, 200]);
    expect(await metricsOf(nodes[0])).toMatchObject({ key_share_epoch: '1', key_dealing_round: '0' });
    const shares = sharesOf(first(3));
    output = outputOf(shares.slice(0, 2), INPUT);
    expect(outputOf(shares.slice(1), INPUT)).toBe(output);
    for (const { file, context } of first(3)) {
      expect(context.store.read()).toMatchObject({ next: null, dealing: null });
      const text = await readFile(file, 'utf8');
      for (const { secret } of shares) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(Buffer.from(secret, 'hex').toString('base64url'));
      }
    }
  });

  test('a second generation is refused', async () => {
    await expect(run({ kind: 'generation', nodes: first(3), threshold: 2 })).rejects.toThrow(
      'the contract publishes a group already',
    );
  });

  test('refresh changes the shares and no output; an old share is refused', async () => {
    const old = sharesOf(first(3));
    await run({ kind: 'refresh', nodes: first(3) });
    const shares = sharesOf(first(3));
    expect(outputOf(shares.slice(1), INPUT)).toBe(output);
    expect(await published()).toContain(';epoch=2;');
    const mixed = [shares[0], old[1]].flatMap((share) => share ?? []);
    expect(() => outputOf(mixed, INPUT, shares[0]?.parameters)).toThrow('epoch');
  });

  test('refresh needs all nodes of the group', async () => {
    await expect(run({ kind: 'refresh', nodes: first(2) })).rejects.toThrow('add node 3 to --nodes');
  });

  test('a node that does not answer and one that is given twice are named, and nothing changes', async () => {
    const states = first(2).map(({ context }) => context.store.read());
    const absent = { url: 'http://127.0.0.1:1' };
    await expect(run({ kind: 'refresh', nodes: [...first(2), absent], waitMs: 0 })).rejects.toThrow(
      'http://127.0.0.1:1 does not answer: start it and repeat the command',
    );
    await expect(run({ kind: 'refresh', nodes: [...first(3), ...first(1)] })).rejects.toThrow('are one node');
    expect(first(2).map(({ context }) => context.store.read())).toEqual(states);
  });

  test('resharing moves the key to four nodes of which three derive', async () => {
    await run({ kind: 'resharing', nodes, threshold: 3 });
    const shares = sharesOf(nodes);
    expect(shares.map(({ identifier }) => identifier)).toEqual([1, 2, 3, 4]);
    expect(outputOf(shares.slice(1), INPUT)).toBe(output);
    expect(() => outputOf(shares.slice(2), INPUT)).toThrow('expected 3');
  });

  test('replaces a lost node and deletes the share of one that leaves', async () => {
    const [lost, leaving] = nodes.splice(0, 2) as [TestNode, TestNode];
    await lost[Symbol.asyncDispose]();
    // The state after a refresh that was given up.
    await leaving.context.store.change(({ current }) => ({
      next: current && { ...current, parameters: current.parameters.replace(/epoch=\d+/, 'epoch=9') },
    }));
    nodes.push(await startNode(deployed));
    const lines = await run({ kind: 'resharing', nodes, from: [lost, leaving], threshold: 2, waitMs: 0 });
    expect(lines).toContain(`${lost.url} does not answer: going on without it`);
    expect(lines).toContain(`${leaving.url} has left the group`);
    expect(leaving.context.store.read()).toMatchObject({ current: null, next: null, dealing: null });
    const shares = sharesOf(nodes);
    expect(shares.map(({ identifier }) => identifier)).toEqual([3, 4, 5]);
    expect(outputOf(shares.slice(1), INPUT)).toBe(output);
    await leaving[Symbol.asyncDispose]();
  });

  test('with --print the group waits for its publication, and the repeated command goes on', async () => {
    const before = sharesOf(nodes);
    const lines = await run({ kind: 'refresh', nodes, isPrinted: true });
    const text = /setNodeConfiguration\('key-nodes', '(.*)'\)/.exec(lines.join('\n'))?.[1] ?? '';
    expect(text).toContain(';epoch=5;');
    expect(sharesOf(nodes)).toEqual(before);
    const waiting = { key_share_epoch: '4', key_dealing_round: '7', key_dealing_faults: '0' };
    expect(await metricsOf(nodes[0])).toMatchObject(waiting);
    await deployed.configuration().write('key-nodes', text);
    expect(await run({ kind: 'refresh', nodes, isPrinted: true })).toContain(
      `${nodes[0]?.url} uses its new share`,
    );
    expect(outputOf(sharesOf(nodes).slice(0, 2), INPUT)).toBe(output);
    expect(await published()).toBe(text);
  });
});
