/** The owner of the contract plays against key nodes: cuts that change, or changed, the code by which nodes decide. */
import { tmpdir } from 'node:os';
import { createRecipient } from '@latchkey/key-protocol';
import { accountConfigAbi } from '@latchkey/protocol';
import { DEPLOYER_KEY } from '@latchkey/testing/chain';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { decodeGroupParameters } from '@latchkey/threshold';
import { type Address, concat, type Hex, numberToHex, size, toFunctionSelector, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acknowledge } from '../src/admin/own-node.ts';
import { openEndpoint } from '../src/contract.ts';
import { relayer, requestFor, runner } from '../src/testing.ts';
import { runnerFor, startDeployed, startNode, type TestNode } from './key-nodes.ts';

const [ADD, REPLACE, REMOVE] = [0, 1, 2];
const owner = privateKeyToAccount(DEPLOYER_KEY);
const view = toFunctionSelector('isPathRegistered(uint256)');
type Cut = { facetAddress: Address; action: number; functionSelectors: Hex[] };

let deployed: Awaited<ReturnType<typeof startDeployed>>;
let directory: ReturnType<typeof temporaryDirectory>;
let node: TestNode;
let group: string;
let honest: Address;
/** Returns 1 to every call. */
let evil: Address;
let paths = 0;

const start = () =>
  startNode(deployed, {
    RUNNER_KEYS: runner.publicKey,
    RELAYER_KEYS: relayer.publicKey,
    KEYNODE_DATA_DIR: directory.path,
  });

/** Creates a contract with this code. */
async function create(code: Hex): Promise<Address> {
  const { client } = deployed;
  const length = numberToHex(size(code), { size: 2 });
  const data = concat(['0x61', length, '0x600c5f3961', length, '0x5ff3', code]);
  const hash = await client.sendTransaction({ account: owner, chain: null, data });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  return contractAddress ?? zeroAddress;
}

async function facetOf(selector: Hex): Promise<Address> {
  const contract = { address: deployed.address, abi: accountConfigAbi } as const;
  const call = { ...contract, functionName: 'facetAddress', args: [selector] } as const;
  return (await deployed.client.readContract(call)).toLowerCase() as Address;
}

async function cut(cuts: Cut[], init: Address = zeroAddress): Promise<void> {
  const { client } = deployed;
  const hash = await client.writeContract({
    account: owner,
    chain: null,
    address: deployed.address,
    abi: accountConfigAbi,
    functionName: 'diamondCut',
    args: [cuts, init, '0x'],
  });
  if (!(await client.getAutomine())) return;
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
}

/** Resolves to the status of a request for a new wallet. */
async function release(): Promise<number> {
  const { publicKey } = await createRecipient();
  paths += 1;
  const purpose = { kind: 'mint-wallet' as const, path: numberToHex(paths) };
  const response = await fetch(`${node.url}/v1/release`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requestFor(purpose, { group, recipient: publicKey, block: 1 })),
  });
  return response.status;
}

/** Resolves to the fault of the code that the node reports, undefined for none. */
async function faultInHealth(): Promise<string | undefined> {
  const { code } = await node.context.checkHealth();
  return code.detail;
}

async function acknowledged(): Promise<string[]> {
  const lines: string[] = [];
  await acknowledge({
    directory: directory.path,
    endpoint: openEndpoint(deployed.rpcUrl, { address: deployed.address, chainId: 31_337 }),
    print: (line) => lines.push(line),
    confirm: async () => true,
  });
  return lines;
}

beforeAll(async () => {
  deployed = await startDeployed();
  directory = temporaryDirectory(tmpdir());
  node = await start();
  await runnerFor(deployed)({ kind: 'generation', nodes: [node], threshold: 1 });
  group = decodeGroupParameters(node.context.store.read().current?.parameters ?? '').groupPublicKey;
  honest = await facetOf(view);
  evil = await create('0x60015f5260205ff3');
});
afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
  directory?.[Symbol.dispose]();
});
beforeEach(async () => {
  // A node refuses requests for two seconds after its start.
  await expect.poll(release).toBe(200);
});

test('answers 503 after a cut and names the route, until its operator acknowledged it', async () => {
  const selector = toFunctionSelector('canExecuteAction(uint256,uint256)');
  await cut([{ facetAddress: evil, action: REPLACE, functionSelectors: [selector] }]);
  expect(await release()).toBe(503);
  await expect.poll(faultInHealth).toMatch(new RegExp(`canExecuteAction.*${honest}.*${evil}`));
  expect((await fetch(`${node.url}/health`)).status).toBe(503);
  expect(await node.context.metrics.metrics()).toContain('key_code_fault 1');
  expect((await acknowledged()).join('\n')).toMatch(new RegExp(`canExecuteAction.*${honest}.*${evil}`));
  expect(await release()).toBe(200);
  expect(await acknowledged()).toEqual([
    expect.stringMatching('has not changed since it was pinned at block'),
  ]);
  expect(await node.context.metrics.metrics()).toContain('key_code_fault 0');
});

test('answers 503 after a cut that is undone in its own block', async () => {
  const { client } = deployed;
  await client.setAutomine(false);
  await cut([{ facetAddress: evil, action: REPLACE, functionSelectors: [view] }]);
  await cut([{ facetAddress: honest, action: REPLACE, functionSelectors: [view] }]);
  await client.mine({ blocks: 1 });
  await client.setAutomine(true);
  expect(await release()).toBe(503);
  await expect.poll(faultInHealth).toContain('left the routes as they were');
  await acknowledged();
});

test('answers 503 after a cut of no route, whose initialisation can write any storage', async () => {
  await cut([], evil);
  expect(await release()).toBe(503);
  await acknowledged();
});

test('answers 503 after a cut that was undone while the node was down', async () => {
  await node[Symbol.asyncDispose]();
  await cut([{ facetAddress: evil, action: ADD, functionSelectors: ['0x12345678'] }]);
  await cut([{ facetAddress: zeroAddress, action: REMOVE, functionSelectors: ['0x12345678'] }]);
  node = await start();
  await expect.poll(faultInHealth).toContain('left the routes as they were');
  expect(await release()).toBe(503);
  await acknowledged();
});

test('an acknowledgement does not cover a later cut', async () => {
  const before = { facetAddress: evil, action: ADD, functionSelectors: ['0x12345678'] satisfies Hex[] };
  await cut([before]);
  await acknowledged();
  await cut([{ ...before, facetAddress: zeroAddress, action: REMOVE }]);
  await cut([before]);
  expect(await release()).toBe(503);
  await acknowledged();
});

test('answers 503 when a replaced loupe returns the earlier routes', async () => {
  const facets = toFunctionSelector('facets()');
  const { client } = deployed;
  const { data: table = '0x' } = await client.call({ to: deployed.address, data: facets });
  const length = numberToHex(size(table), { size: 2 });
  const lying = await create(concat(['0x61', length, '0x600c5f3961', length, '0x5ff3', table]));
  const loupe = await facetOf(facets);
  await cut([{ facetAddress: lying, action: REPLACE, functionSelectors: [facets] }]);
  expect((await client.call({ to: deployed.address, data: facets })).data).toBe(table);
  expect(await release()).toBe(503);
  await expect(acknowledged()).rejects.toThrow('does not return its own route');
  await cut([{ facetAddress: loupe, action: REPLACE, functionSelectors: [facets] }]);
  await acknowledged();
});
