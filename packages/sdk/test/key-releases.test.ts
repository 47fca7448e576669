import { createClient as createChainClient, http } from 'viem';
import { expect, test } from 'vitest';
import { type ApiClient, type ChainSecuredClient, createClient } from '../src/index.ts';
import { newChainSecuredClient, payByCard, stack } from './clients.ts';

const code = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address;
}`;

/** Makes a wallet, runs an action that uses it, and lists what the key nodes released. */
async function expectReleases(open: ApiClient | ChainSecuredClient) {
  // Functions of both kinds of client are called without checking the kind.
  const client = open as ChainSecuredClient;
  const { walletAddress } = await client.createWallet({ name: 'w' });
  const { groupId } = await client.addGroup({
    name: 'g',
    description: '',
    pkpIds: [walletAddress],
    cids: [0n],
  });
  const { usageKey } = await client.addUsageApiKey({ name: 'u', executeInGroups: [groupId] });
  await client.confirmPayment(await payByCard(client));
  const run = await client.runAction({ code, jsParams: { pkpId: walletAddress }, usageKey });
  expect(run.response).toBe(walletAddress);
  const { releases, nodes, missing } = await client.listKeyReleases({ walletAddress });
  expect(missing).toEqual([]);
  expect(nodes).toHaveLength(3);
  const [newest] = releases;
  expect(newest).toMatchObject({
    kind: 'wallet',
    runId: run.runId,
    cid: await client.getSvcActionIpfsId({ code }),
  });
  expect(newest?.nodes.length).toBeGreaterThanOrEqual(2);
  expect(new Set(releases.map(({ kind }) => kind))).toEqual(
    new Set(['wallet', 'wallet-address', 'mint-wallet']),
  );
  const page = await client.listKeyReleases({ walletAddress, pageSize: 1 });
  const all = [...page.releases];
  for (let next = page.nextPage; next; ) {
    const more = await client.listKeyReleases(next);
    all.push(...more.releases);
    next = more.nextPage;
  }
  expect(new Set(all.map(({ statement }) => statement))).toEqual(
    new Set(releases.map(({ statement }) => statement)),
  );
}

test('a wallet of a ChainSecured account has a verified list of the releases of its key', async () =>
  expectReleases(await newChainSecuredClient()));

test('a managed account verifies addresses and releases with its own node of the chain', async () => {
  const opened = createClient({ url: stack.url });
  const { apiKey } = await opened.newAccount({ name: 'sdk', description: '' });
  const { contractAddress } = await opened.getNodeChainConfig();
  const publicClient = createChainClient({ transport: http(stack.rpcUrl) });
  await expectReleases(createClient({ url: stack.url, apiKey, publicClient, contractAddress }));
});
