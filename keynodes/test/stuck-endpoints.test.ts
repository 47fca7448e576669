/** Nodes whose RPC endpoints stop one block before a revocation. */
import { createRecipient, type KeyPurpose } from '@latchkey/key-protocol';
import { cidHash } from '@latchkey/protocol';
import { until } from '@latchkey/testing/until';
import { decodeGroupParameters } from '@latchkey/threshold';
import { zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { generateGroup, relayer, requestFor, runner } from '../src/testing.ts';
import { openAccounts, ownerKey, usageKeyFields } from './accounts.ts';
import { startEndpoint } from './endpoints.ts';
import { startDeployed, startNode, type TestNode } from './key-nodes.ts';

const MAX_BLOCK_AGE_SEC = 5;
const CID = 'QmStuckEndpoints';
const [ACCOUNT, USAGE_KEY] = [0xacn, 0x1fn];
const action: KeyPurpose = { kind: 'action', usageKeyHash: '0x1f', cid: CID };
const held = generateGroup(2, 3);
const published = held[0]?.parameters ?? '';
const group = decodeGroupParameters(published).groupPublicKey;

/** Asks a node for the key of the action, at any block. Resolves to the status. */
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
  const { client, rpcUrl } = deployed;
  await deployed.configuration().write('key-nodes', published);
  const { write } = openAccounts(deployed);
  await write(ownerKey, 'newAccount', [ACCOUNT, true, 'account', '', privateKeyToAddress(ownerKey)]);
  await write(ownerKey, 'addGroup', [ACCOUNT, 'group', '', [cidHash(CID)], [zeroAddress]]);
  await write(ownerKey, 'setUsageApiKey', usageKeyFields(ACCOUNT, USAGE_KEY));
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
  const { blockNumber } = await write(ownerKey, 'removeUsageApiKey', [ACCOUNT, USAGE_KEY]);
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
