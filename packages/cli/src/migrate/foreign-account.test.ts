/** Reads from nodes that lie. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex, zeroAddress } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { foreignAbi, readForeignAccount } from './foreign-account.ts';

type Views = Record<string, (page: bigint, size: bigint) => unknown>;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** Starts a node whose views return these values; `reply` answers otherwise. */
async function startNode(views: Views, reply?: (response: ServerResponse) => void): Promise<string> {
  const empty: Views = {
    getAccountWalletAddress: () => zeroAddress,
    listGroupContents: () => ({ metadata: item(0), cidHash: [], pkpId: [] }),
  };
  const server = createServer(async (request, response) => {
    if (reply) return reply(response);
    const { id, method, params } = (await json(request)) as {
      id: number;
      method: string;
      params: [{ data: Hex }];
    };
    const call =
      method === 'eth_call' ? decodeFunctionData({ abi: foreignAbi, data: params[0].data }) : undefined;
    const [, page, size] = (call?.args ?? []) as [bigint, bigint, bigint];
    const functionName = call?.functionName as 'listGroups';
    const value = { ...empty, ...views }[functionName]?.(page, size) ?? [];
    const result = call
      ? encodeFunctionResult({ abi: foreignAbi, functionName, result: value as never })
      : numberToHex(8453);
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`;
}

const read = async (views: Views, reply?: (response: ServerResponse) => void, timeoutMs?: number) =>
  readForeignAccount(
    { rpcUrl: await startNode(views, reply), contract: zeroAddress, account: 1n },
    timeoutMs,
  );

const item = (id: number | bigint, name = 'name', description = '') => ({
  id: BigInt(id),
  name,
  description,
});
const pageOf = (page: bigint, size: bigint) =>
  Array.from({ length: Number(size) }, (_, index) => item(page * size + BigInt(index) + 1n));

test('a list without an end is refused', async () => {
  await expect(read({ listGroups: pageOf })).rejects.toThrow('the account has more than 1000 groups');
});

test('a list that begins again is refused', async () => {
  const listActions = (_page: bigint, size: bigint) => pageOf(0n, size);
  await expect(read({ listActions })).rejects.toThrow('the contract returned an item of actions twice');
});

test('a page that is longer than was asked for is refused', async () => {
  const listActions = (_page: bigint, size: bigint) => pageOf(0n, size + 1n);
  await expect(read({ listActions })).rejects.toThrow('too long a page of actions');
});

test('a group with too many members is refused', async () => {
  const cidHash = Array.from({ length: 1_001 }, (_, index) => BigInt(index));
  const views = {
    listGroups: (page: bigint) => (page === 0n ? [item(3)] : []),
    listGroupContents: () => ({ metadata: item(3), cidHash, pkpId: [] }),
  };
  await expect(read(views)).rejects.toThrow('the group 3 has more than 1000 entries');
});

test('labels cannot act on a terminal, and have the lengths of the contract', async () => {
  const name = `\u001b[31mred\u202e\n\u0000${'🔥'.repeat(40)}`;
  const { actions } = await read({ listActions: () => [item(5, name, 'ä'.repeat(2_000))] });
  expect(actions[0]?.name).toMatch(/^\\u\{1b\}\[31mred\\u\{202e\}\\u\{a\}\\u\{0\}🔥+$/u);
  expect(Buffer.byteLength(actions[0]?.name ?? '')).toBeLessThanOrEqual(128);
  expect(actions[0]?.description).toBe('ä'.repeat(512));
});

test.each<[string, (response: ServerResponse) => void]>([
  ['a reply that never ends', (response) => void response.write('{"jsonrpc"')],
  ['no reply', () => {}],
  ['text', (response) => void response.end('<html>')],
  ['a redirect', (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end()],
  ['an error with the URL', (response) => void response.writeHead(500).end('http://127.0.0.1/secret-key')],
  ['more than ten megabytes', (response) => void response.end(`"${'x'.repeat(11_000_000)}"`)],
])('%s ends the read, and the error does not have the URL', async (_what, reply) => {
  const error = await read({}, reply, 2_000).catch((thrown) => thrown);
  expect(error.message).toMatch(/^the account cannot be read: /);
  expect(`${error.message} ${error.fix}`).not.toContain('secret-key');
});
