/** Key nodes with one fault each, with shares of one group. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { buffer, json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { bundle } from '@latchkey/bundle';
import { type KeyRequest, partialSealerFor } from '@latchkey/key-protocol';
import { end, start, temporaryDirectory } from '@latchkey/testing/processes';
import { freePort } from '@latchkey/testing/until';
import { decodeGroupParameters, encodeInput, evaluate } from '@latchkey/threshold';
import { hexToBytes, numberToHex } from 'viem';
import { onTestFinished } from 'vitest';
import type { HeldShare } from '../src/node-store.ts';
import { type Deployed, nodeSettings, startNode } from './key-nodes.ts';

type Url = { url: string };

async function listen(handle: RequestListener): Promise<Url> {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const startStuck = (): Promise<Url> => listen(() => {});

/** Passes requests on, and the answers after a delay. */
export const startSlow = (node: Url, ms: number): Promise<Url> =>
  listen(async (request, response) => {
    const body = await buffer(request);
    const headers = { 'content-type': 'application/json' };
    try {
      const reply = await fetch(node.url + request.url, { method: 'POST', headers, body });
      const text = await reply.text();
      await setTimeout(ms);
      response.writeHead(reply.status, headers).end(text);
    } catch {
      request.socket.destroy();
    }
  });

/** A node under the control of an attacker: evaluates any of these paths for everyone, under any of these identifiers. */
export const startCorrupt = (held: HeldShare, paths: bigint[], identifiers: number[]): Promise<Url> => {
  const parameters = decodeGroupParameters(held.parameters);
  let asked = 0;
  return listen(async (request, response) => {
    const { statement } = (await json(request)) as KeyRequest;
    const path = paths[asked % paths.length] ?? 0n;
    const identifier = identifiers[asked % identifiers.length] ?? held.identifier;
    asked += 1;
    const { epoch } = parameters;
    const share = { epoch, identifier: held.identifier, secret: hexToBytes(`0x${held.secret}`) };
    const bytes = evaluate(parameters, share, encodeInput({ kind: 'wallet', path }));
    const seal = await partialSealerFor(statement.recipient);
    const partial = await seal(bytes, statement.id, identifier);
    response.end(JSON.stringify({ identifier, epoch, partial, path: numberToHex(path) }));
  });
};

/** Starts a process of a node whose clock is ahead by this time. */
export async function startSkewed(
  deployed: Deployed,
  held: HeldShare,
  settings: Record<string, string>,
  aheadMs: number,
): Promise<Url> {
  const directory = temporaryDirectory(tmpdir());
  const own = { KEYNODE_DATA_DIR: directory.path };
  {
    await using node = await startNode(deployed, own);
    await node.context.store.change(() => ({ current: held }));
  }
  const port = await freePort();
  const clock = encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${aheadMs};`);
  const { child } = start(process.execPath, [await bundle('keynodes/src/main.ts')], {
    ...nodeSettings(deployed, directory.path),
    ...settings,
    PORT: String(port),
    METRICS_PORT: '0',
    NODE_OPTIONS: `--import data:text/javascript,${clock}`,
  });
  onTestFinished(async () => {
    await end(child, 'SIGKILL');
    directory[Symbol.dispose]();
  });
  return { url: `http://127.0.0.1:${port}` };
}
