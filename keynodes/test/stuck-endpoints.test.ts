/** Nodes whose RPC endpoints stop one block before a revocation. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createRecipient, type KeyPurpose } from '@latchkey/key-protocol';
import { accountConfigAbi, cidHash } from '@latchkey/protocol';
import { DEPLOYER_KEY } from '@latchkey/testing/chain';
import { until } from '@latchkey/testing/until';
import { decodeGroupParameters } from '@latchkey/threshold';
import { type Block, numberToHex, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { generateGroup, relayer, requestFor, runner } from '../src/testing.ts';
import { startDeployed, startNode, type TestNode } from './key-nodes.ts';

const MAX_BLOCK_AGE_SEC = 5;
const CID = 'QmStuckEndpoints';
const [ACCOUNT, USAGE_KEY] = [0xacn, 0x1fn];
const action: KeyPurpose = { kind: 'action', usageKeyHash: '0x1f', cid: CID };
const held = generateGroup(2, 3);
const published = held[0]?.parameters ?? '';
const group = decodeGroupParameters(published).groupPublicKey;

type Call = { id: number; method: string; params?: unknown[] };
const later = { code: -32_001, message: 'Resource not found' };

/** Passes calls on to the chain. Frozen, it knows no later block than that, and gives it the present time when it forges. */
async function startEndpoint(chainUrl: string, isForging: boolean) {
  const endpoint = { url: '', frozen: undefined as Block | undefined };
  const pass = async (call: Call) => {
    const body = JSON.stringify(call);
    const headers = { 'content-type': 'application/json' };
    return (await (await fetch(chainUrl, { method: 'POST', headers, body })).json()) as {
      result?: { number: string; timestamp: string } | null;
    };
  };
  const isLater = async (hash: string, { number }: Block) => {
    const { result } = await pass({
      id: 1,
      jsonrpc: '2.0',
      method: 'eth_getBlockByHash',
      params: [hash, false],
    } as Call);
    return !result || BigInt(result.number) > (number ?? 0n);
  };
  const answer = async (call: Call): Promise<object> => {
    const { frozen } = endpoint;
    const { id, method, params = [] } = call;
    const [first, second] = params as [string, string | { blockHash: string }];
    if (!frozen) return pass(call);
    const last = numberToHex(frozen.number ?? 0n);
    const hash = method === 'eth_call' && typeof second === 'object' ? second.blockHash : first;
    if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: last };
    if (method === 'eth_call' && second === 'latest') return pass({ ...call, params: [first, last] });
    if (method === 'eth_chainId') return pass(call);
    if (method !== 'eth_getBlockByNumber' && (await isLater(hash, frozen)))
      return { jsonrpc: '2.0', id, error: later };
    const found = await pass(method === 'eth_getBlockByNumber' ? { ...call, params: [last, false] } : call);
    if (isForging && method !== 'eth_call' && found.result)
      found.result.timestamp = numberToHex(Math.floor(Date.now() / 1_000));
    return found;
  };
  const server = createServer(async (request, response) => {
    const calls = (await json(request)) as Call | Call[];
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return endpoint;
}

/** Asks a node for the key of the action, of a state of any block. Resolves to the status. */
async function statusOf({ url }: TestNode): Promise<number> {
  const { publicKey: recipient } = await createRecipient();
  const body = JSON.stringify(requestFor(action, { group, recipient, block: 0 }));
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/release`, { method: 'POST', headers, body });
  await response.body?.cancel();
  return response.status;
}

test('two of three nodes that are stuck before a revocation release for MAX_BLOCK_AGE_SEC after it at most', async () => {
  await using deployed = await startDeployed();
  const { client, rpcUrl, address } = deployed;
  await deployed.configuration().write('key-nodes', published);
  const account = privateKeyToAccount(DEPLOYER_KEY);
  const write = async (
    functionName: 'newAccount' | 'addGroup' | 'setUsageApiKey' | 'removeUsageApiKey',
    args: unknown[],
  ) => {
    const hash = await client.writeContract({
      abi: accountConfigAbi,
      address,
      account,
      functionName,
      args,
    } as never);
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    return receipt;
  };
  await write('newAccount', [ACCOUNT, true, 'account', '', account.address]);
  await write('addGroup', [ACCOUNT, 'group', '', [cidHash(CID)], [zeroAddress]]);
  await write('setUsageApiKey', [
    ACCOUNT,
    USAGE_KEY,
    0n,
    0n,
    'key',
    '',
    false,
    false,
    false,
    [],
    [],
    [],
    [1n],
  ]);
  await client.setIntervalMining({ interval: 1 });

  const stuck = await startEndpoint(rpcUrl, false);
  const forging = await startEndpoint(rpcUrl, true);
  const nodes: TestNode[] = [];
  for (const [i, urls] of [[stuck.url], [forging.url, rpcUrl], [rpcUrl]].entries()) {
    const node = await startNode(deployed, {
      RPC_URL: urls.join(','),
      MAX_BLOCK_AGE_SEC: String(MAX_BLOCK_AGE_SEC),
      RUNNER_KEYS: runner.publicKey,
      RELAYER_KEYS: relayer.publicKey,
    });
    await node.context.store.change(() => ({ current: held[i] ?? null }));
    onTestFinished(() => node[Symbol.asyncDispose]());
    nodes.push(node);
  }
  const statuses = () => Promise.all(nodes.map(statusOf));
  await until('all nodes release', async () => (await statuses()).every((status) => status === 200));

  for (const endpoint of [stuck, forging]) endpoint.frozen = await client.getBlock();
  const { blockNumber } = await write('removeUsageApiKey', [ACCOUNT, USAGE_KEY]);
  const revokedAtMs = Date.now();
  let lastMs = 0;
  const seen: number[][] = [];
  await until('the nodes know that they are behind', async () => {
    const found = await statuses();
    seen.push(found);
    if (found.includes(200)) lastMs = Date.now() - revokedAtMs;
    return found.join() === '503,503,403' && Date.now() - revokedAtMs > 2_000 * MAX_BLOCK_AGE_SEC;
  });
  expect(blockNumber).toBeGreaterThan(stuck.frozen?.number ?? 0n);
  // The first was stuck at a state that permits. The endpoints of the second disagree about the time of the block.
  expect(seen[0]).toEqual([200, expect.any(Number), 403]);
  expect(lastMs).toBeLessThan(1_000 * MAX_BLOCK_AGE_SEC);
  for (const [, , third] of seen) expect(third).toBe(403);
  const health = await Promise.all(nodes.map(async ({ url }) => (await fetch(`${url}/health`)).json()));
  expect(health).toMatchObject([
    {
      status: 'behind',
      block: { ok: false, detail: expect.stringMatching(/^the newest block is \d+ s old/) },
    },
    { status: 'behind', block: { ok: false, detail: expect.any(String) } },
    { status: 'ok' },
  ]);
});
