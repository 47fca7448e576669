/** Operator and config operator, with both keys, play against the operators of the nodes: they try to move the key to a node of their own. */
import { tmpdir } from 'node:os';
import { encodeApprovedNodes } from '@latchkey/key-protocol';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { status } from '../src/admin/commands.ts';
import { createNodeClient } from '../src/admin/node-client.ts';
import { decideOnGroup } from '../src/admin/own-node.ts';
import { openEndpoint } from '../src/contract.ts';
import { generateGroup } from '../src/testing.ts';
import { operator, type Run, runnerFor, startDeployed, startNode, type TestNode } from './key-nodes.ts';

const HOUR_SEC = 3_600;
const WAIT = { APPROVAL_WAIT_SEC: String(24 * HOUR_SEC) };

let deployed: Awaited<ReturnType<typeof startDeployed>>;
let run: Run;
const directories = [0, 1].map(() => temporaryDirectory(tmpdir()));
let honest: TestNode[];
let own: TestNode;
const start = (index: number) =>
  startNode(deployed, { ...WAIT, KEYNODE_DATA_DIR: directories[index]?.path ?? '' });
const identities = (...nodes: TestNode[]) => nodes.map(({ context }) => context.identity.publicKey);

const pass = async (hours: number): Promise<void> => {
  await deployed.client.increaseTime({ seconds: hours * HOUR_SEC });
  await deployed.client.mine({ blocks: 1 });
};
const set = (name: string, value: string) => deployed.configuration().write(name, value);
const approve = (...nodes: TestNode[]) =>
  set('approved-key-nodes', encodeApprovedNodes({ threshold: 1, identities: identities(...nodes) }));

const decide = (index: number, decision: 'accepted' | 'refused') =>
  decideOnGroup(
    {
      directory: directories[index]?.path ?? '',
      print: () => {},
      confirm: async () => true,
      endpoint: openEndpoint(deployed.rpcUrl, { address: deployed.address, chainId: 31_337 }),
    },
    decision,
  );

/** Reshares to the attackers' node; resolves when it has the key. */
const steal = () => run({ kind: 'resharing', nodes: [own], from: honest, threshold: 1, replace: true });

async function expectNothingDealt(reason: string): Promise<void> {
  await expect(steal()).rejects.toThrow(reason);
  for (const { context } of honest) expect(context.store.read().dealing?.state ?? null).toBeNull();
  expect(own.context.store.read()).toMatchObject({ current: null, next: null });
}

/** Resolves to what `npm run keys -- status` prints. */
async function statusLines(): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const client = ({ url }: TestNode) => createNodeClient(url, { operator, waitMs: 0, print });
  await status({ configuration: deployed.configuration(), nodes: honest.map(client), from: [], print });
  return lines;
}

const approvalOf = async ({ url }: TestNode) =>
  ((await (await fetch(`${url}/health`)).json()) as { approval: unknown }).approval;

beforeAll(async () => {
  deployed = await startDeployed();
  run = runnerFor(deployed);
  honest = [await start(0), await start(1)];
  own = await startNode(deployed);
});
afterAll(async () => {
  for (const node of [...(honest ?? []), own]) await node?.[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
  for (const directory of directories) directory[Symbol.dispose]();
});

test('a node deals in a new group when its own operator accepted exactly this group', async () => {
  const generate = () => run({ kind: 'generation', nodes: honest, threshold: 2, replace: true });
  await expect(generate()).rejects.toThrow('the contract approved this group recently');
  await decide(0, 'accepted');
  await expect(generate()).rejects.toThrow('the contract approved this group recently');
  await decide(1, 'accepted');
  await generate();
  for (const { context } of honest) expect(context.store.read().current).not.toBeNull();
  // An accepted group says nothing about another one.
  await expectNothingDealt('the contract approved this group recently');
});

test('before the wait nothing shortens it: no other value, no repeated approval, no other group, no restart', async () => {
  await pass(23);
  await approve(...honest);
  await approve(own);
  await pass(2);
  await expectNothingDealt('deals in it in');
  await approve(own);
  const sinceSec = Number((await deployed.client.getBlock()).timestamp);
  await pass(23);
  await expectNothingDealt('deals in it in');
  const published = await deployed.configuration().read('key-nodes');
  await set('key-nodes', generateGroup(1, 1, 7)[0]?.parameters ?? '');
  await expectNothingDealt('no node has the parameters of the published group');
  await set('key-nodes', published);
  const [restarted] = honest;
  await restarted?.[Symbol.asyncDispose]();
  honest[0] = await start(0);
  await expectNothingDealt('deals in it in');
  await expect
    .poll(() => approvalOf(honest[1] as TestNode))
    .toMatchObject({ state: 'waiting', since_sec: sinceSec });
  expect(await statusLines()).toContainEqual(
    expect.stringMatching(/approved group: waits for \d+ more seconds/),
  );
  const metrics = await honest[1]?.context.metrics.metrics();
  expect(metrics).toMatch(/^key_approval_wait_seconds [1-9]\d+$/m);
});

test('a refused group is never dealt, nor one that is approved after it', async () => {
  await decide(0, 'refused');
  await pass(30);
  await expectNothingDealt('the operator of this node refused this group');
  const [, other] = honest as [TestNode, TestNode];
  await expect.poll(() => approvalOf(other)).toEqual({ state: 'due', remaining_sec: 0, since_sec: null });
  await honest[0]?.[Symbol.asyncDispose]();
  honest[0] = await start(0);
  await expectNothingDealt('the operator of this node refused this group');
  expect(await approvalOf(honest[0])).toEqual({ state: 'refused', remaining_sec: 0, since_sec: null });
  await approve(own, other);
  await pass(30);
  const both = run({
    kind: 'resharing',
    nodes: [own, other],
    from: honest.slice(0, 1),
    threshold: 1,
    replace: true,
  });
  await expect(both).rejects.toThrow('the operator of this node refused this group');
  expect(own.context.store.read()).toMatchObject({ current: null, next: null });
});

test('a group that was refused is dealt once it is accepted, and one without a decision after the wait', async () => {
  await approve(own);
  await decide(0, 'accepted');
  await pass(25);
  await steal();
  expect(own.context.store.read().current).not.toBeNull();
});
