/** Shared by the tests of the runtime: keys of a wallet that the contract would permit, and a server to fetch from. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';
import { privateKeyToAddress } from 'viem/accounts';
import { keyProviderFrom } from '../keys/local-key-provider.ts';
import { createRunKeys, type RunKeys } from '../keys/release.ts';
import type { RunRequest, Runtime } from './runtime.ts';

export const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const PATH = 1n << 96n;

export const keyProvider = keyProviderFrom(new Uint8Array(32).fill(7));
export const privateKey = await keyProvider.derive(PATH);
export const pkpId = privateKeyToAddress(privateKey);
export const keys: RunKeys = createRunKeys({
  keyProvider,
  authority: {
    canExecuteAction: async () => true,
    canUseWalletInAction: async (_key, _cid, wallet) => wallet === pkpId,
    getWalletDerivation: async () => PATH,
  },
  usageKeyHash: 1n,
  cid: CID,
});

/** Runs code with the wallet's address among the parameters. */
export const runner =
  (runtime: () => Pick<Runtime, 'run'>) =>
  (code: string, request: Partial<RunRequest> = {}) =>
    runtime().run({ code, cid: CID, account: 1n, jsParams: { pkpId }, keys, ...request });

/** Starts a server on a free loopback port. */
export const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The reply of `serveNames` for a name: its addresses of the requested family, NXDOMAIN, or no reply. */
export type NameAnswer = string[] | 'unknown' | 'silence';

/** Starts a DNS server on a free loopback port, for A and AAAA. */
export const serveNames = async (
  answer: (name: string, family: 4 | 6) => NameAnswer | Promise<NameAnswer>,
) => {
  const asked: string[] = [];
  let isClosed = false;
  const socket = createSocket('udp4');
  socket.on('message', async (query, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.');
    const type = query.readUInt16BE(at + 1);
    asked.push(name);
    const says = await answer(name, type === 1 ? 4 : 6);
    if (says === 'silence' || isClosed) return;
    const records =
      says === 'unknown' ? [] : says.map((text) => Buffer.from(ipaddr.parse(text).toByteArray()));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(says === 'unknown' ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const reply = [head, query.subarray(12, at + 5)];
    for (const record of records) {
      // A pointer to the name of the question, type, class IN, TTL 0 s, length.
      reply.push(Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, record.length]), record);
    }
    socket.send(Buffer.concat(reply), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    /** The server's address in the form of the settings. */
    server: `127.0.0.1:${socket.address().port}`,
    /** Every name that was requested, once per family. */
    asked,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      socket.close();
      await once(socket, 'close');
    },
  };
};

/** Polls until `holds` returns true. Rejects after `deadlineMs`. */
export const eventually = async (holds: () => boolean, deadlineMs = 10_000): Promise<void> => {
  const deadline = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
