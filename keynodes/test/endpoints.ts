/** Endpoints of a chain that stop at a block. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Block, numberToHex } from 'viem';
import { onTestFinished } from 'vitest';

type Call = { id: number; method: string; params?: unknown[] };
const later = { code: -32_001, message: 'Resource not found' };

/** Passes calls on to the chain. When frozen, knows no block after `frozen`, and with `isForging` gives that block the current time. */
export async function startEndpoint(chainUrl: string, isForging: boolean) {
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
    if (!frozen) return pass(call);
    const last = numberToHex(frozen.number ?? 0n);
    if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: last };
    if (method === 'eth_call' && params[1] === 'latest') return pass({ ...call, params: [params[0], last] });
    const at = params.find((param) => typeof param === 'object' && param !== null && 'blockHash' in param);
    const hash = method === 'eth_getBlockByHash' ? params[0] : (at as { blockHash: string })?.blockHash;
    if (hash !== undefined && (await isLater(String(hash), frozen)))
      return { jsonrpc: '2.0', id, error: later };
    const found = await pass(method === 'eth_getBlockByNumber' ? { ...call, params: [last, false] } : call);
    if (isForging && method.startsWith('eth_getBlock') && found.result)
      found.result.timestamp = numberToHex(Math.floor(Date.now() / 1_000));
    return found;
  };
  const server = createServer(async (request, response) => {
    const calls = (await json(request)) as Call | Call[];
    response.setHeader('content-type', 'application/json');
    const answers = Array.isArray(calls) ? Promise.all(calls.map(answer)) : answer(calls);
    // The test can stop the chain before the nodes.
    await answers.then(
      (found) => response.end(JSON.stringify(found)),
      () => request.socket.destroy(),
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
