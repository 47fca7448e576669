/** An account of the other system, on the chain of the shared stack, and a relayer that loses replies. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { chain, client, stack, testClient } from '@latchkey/testing/stack';
import { deployMock } from '@latchkey/testing/wallet-proof';
import { type Address, createWalletClient, http, parseAbi, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { onTestFinished } from 'vitest';

const abi = parseAbi([
  'struct Metadata { uint256 id; string name; string description; }',
  'struct Pkp { uint256 id; address pkpId; string name; string description; }',
  'struct Group { Metadata metadata; uint256[] cidHash; address[] pkpId; }',
  'struct UsageApiKey { Metadata metadata; uint256 apiKeyHash; uint256 expiration; uint256 balance; uint256[] executeInGroups; bool createGroups; bool deleteGroups; bool createPKPs; uint256[] manageIPFSIdsInGroups; uint256[] addPkpToGroups; uint256[] removePkpFromGroups; }',
  'function addPkp(Pkp pkp)',
  'function addAction(Metadata action)',
  'function addGroup(Group group)',
  'function addKey(UsageApiKey key)',
]);

type Contents = {
  wallets?: { address: Address; name: string }[];
  actions?: { hash: bigint; name: string }[];
  groups?: { id: bigint; name: string; cidHashes: bigint[]; wallets: Address[] }[];
  keys?: { hash: bigint; name: string; expiration: bigint; executeInGroups: bigint[] }[];
};

/** Deploys a contract with an account. */
export async function deployOtherAccount(
  account: bigint,
  admin: Address,
  { wallets = [], actions = [], groups = [], keys = [] }: Contents,
): Promise<Address> {
  const address = await deployMock('OtherAccounts', 'OtherAccounts', [account, admin]);
  const sender = privateKeyToAccount(generatePrivateKey());
  await testClient.setBalance({ address: sender.address, value: parseEther('10') });
  const wallet = createWalletClient({ chain, transport: http(stack.rpcUrl), account: sender });
  const write = async (functionName: string, value: object) => {
    const hash = await wallet.writeContract({ address, abi, functionName, args: [value] } as never);
    await client.waitForTransactionReceipt({ hash });
  };
  const metadata = (id: bigint, name: string) => ({ id, name, description: '' });
  for (const { address: pkpId, name } of wallets)
    await write('addPkp', { id: 0n, pkpId, name, description: '' });
  for (const { hash, name } of actions) await write('addAction', metadata(hash, name));
  for (const { id, name, cidHashes, wallets: pkpId } of groups)
    await write('addGroup', { metadata: metadata(id, name), cidHash: cidHashes, pkpId });
  for (const { hash, name, expiration, executeInGroups } of keys)
    await write('addKey', {
      metadata: metadata(hash, name),
      apiKeyHash: hash,
      expiration,
      balance: 0n,
      executeInGroups,
      createGroups: false,
      deleteGroups: false,
      createPKPs: false,
      manageIPFSIdsInGroups: [],
      addPkpToGroups: [],
      removePkpFromGroups: [],
    });
  return address;
}

/** Starts a proxy of the relayer that loses the replies to the requests to `lost.path`, which are executed. */
export async function startLossyRelayer(): Promise<{ url: string; lost: { path?: string | undefined } }> {
  const lost: { path?: string | undefined } = {};
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const reply = await fetch(`${stack.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const content = Buffer.from(await reply.arrayBuffer());
    if (lost.path !== undefined && request.url?.endsWith(lost.path)) return void request.socket.destroy();
    reply.headers.forEach((value, name) => {
      if (!/^(?:content-encoding|content-length|connection|transfer-encoding)$/.test(name))
        response.setHeader(name, value);
    });
    response.writeHead(reply.status).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost };
}
