import { createClient as createChainClient, http } from 'viem';
import { describe, expect, test } from 'vitest';
import { type ApiClient, type ChainSecuredClient, createClient } from '../src/index.ts';
import { newChainSecuredClient, newWallet, payByCard, stack } from './clients.ts';

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

describe('a relayer that changes the list of releases', () => {
  /** A ChainSecured client whose relayer answers requests for a list with what `relay` returns. */
  async function newDeceivedClient(relay: (url: URL, init?: RequestInit) => Promise<Response>) {
    const client = createClient({
      url: stack.url,
      wallet: await newWallet(),
      fetch: (input, init) => {
        const url = new URL(String(input));
        return url.pathname === '/core/v1/key_releases' ? relay(url, init) : fetch(url, init);
      },
    });
    await client.newAccount({ name: 'sdk', description: '' });
    return client;
  }

  test('cannot show the list of another wallet of the account', async () => {
    let shown = '';
    const client = await newDeceivedClient((url, init) => {
      url.searchParams.set('wallet', shown);
      return fetch(url, init);
    });
    const { walletAddress } = await client.createWallet({ name: 'one' });
    const other = await client.createWallet({ name: 'other' });
    shown = walletAddress;
    const { releases } = await client.listKeyReleases({ walletAddress });
    expect(releases.length).toBeGreaterThan(0);
    shown = other.walletAddress;
    await expect(client.listKeyReleases({ walletAddress })).rejects.toMatchObject({
      code: 'unverified_releases',
      message: 'the relayer lists the releases of another wallet',
    });
  });

  test('cannot end the list before its oldest entry', async () => {
    let isEnded = false;
    const client = await newDeceivedClient(async (url, init) => {
      const reply = await fetch(url, init);
      return isEnded ? Response.json({ ...((await reply.json()) as object), before: null }) : reply;
    });
    const { walletAddress } = await client.createWallet({ name: 'w' });
    const { nextPage } = await client.listKeyReleases({ walletAddress, pageSize: 1 });
    expect(nextPage).toBeDefined();
    isEnded = true;
    await expect(client.listKeyReleases({ walletAddress, pageSize: 1 })).rejects.toMatchObject({
      code: 'unverified_releases',
      message: 'the relayer leaves out the next page',
    });
  });
});
