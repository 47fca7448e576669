/** Shared by the tests of the runner: the keys of one wallet, and servers to fetch from. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawnPlainly } from '@latchkey/fork-server';
import {
  ActionError,
  abortError,
  failedResult,
  type RunResult,
  RuntimeUnavailableError,
  toRunError,
} from '@latchkey/runner-protocol';
import { callKeyOperation } from '@latchkey/runner-protocol/key-operation';
import { isThresholdOperation } from '@latchkey/runner-protocol/threshold-operation';
import { signHash } from '@latchkey/service/secp256k1';
import ipaddr from 'ipaddr.js';
import { hexToBytes } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type ProgramOptions, programOf } from './processes/boot.ts';
import type { CallChain, CallKey } from './runs/action-requests.ts';
import type { RunRequest, Runtime } from './runtime.ts';

export const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
export const privateKey = `0x${'17'.repeat(32)}` as const;
export const pkpId = privateKeyToAddress(privateKey);

/** Values of secrets by name. */
export const secretValues: Record<string, string> = {};

/** Key functions with the key of one wallet. */
export const callKey: CallKey = async (operation, given) => {
  const stored = operation === 'getSecret' ? { pkpId, version: 1, ciphertext: '' } : {};
  const args = { ...(given as object), ...stored };
  const asked = (args as { pkpId?: unknown }).pkpId;
  const refuse = (): never => {
    throw new ActionError('WalletNotPermittedError', `not permitted: ${operation} of ${String(asked)}`);
  };
  if (asked !== pkpId) return refuse();
  if (isThresholdOperation(operation)) return refuse();
  return callKeyOperation(
    {
      getPrivateKey: async () => privateKey,
      signHashes: async ({ hashes }) => hashes.map((hash) => signHash(hash, hexToBytes(privateKey))),
      Encrypt: refuse,
      Decrypt: refuse,
      getSecret: async ({ name }) => Buffer.from(secretValues[name] ?? ''),
      getActionPrivateKey: refuse,
      getActionPublicKey: refuse,
      getActionWalletAddress: refuse,
    },
    operation,
    args,
  );
};

export const callChain: CallChain = () => Promise.reject(new ActionError('RpcError', 'no chains'));

type TestRequest = Partial<Omit<RunRequest, 'code' | 'params'>> & {
  account?: bigint;
  jsParams?: unknown;
  onStart?: () => void;
};

/** Runs code with the wallet's address among the parameters. */
export const runner =
  (runtime: Pick<Runtime, 'take'>) =>
  async (
    code: string,
    { account = 1n, jsParams = { pkpId }, onStart, ...request }: TestRequest = {},
  ): Promise<RunResult> => {
    try {
      const slot = await runtime.take(account, request.signal);
      onStart?.();
      return await slot.run({
        cid: CID,
        callKey,
        callChain,
        ...request,
        code: Buffer.from(code),
        params: JSON.stringify(jsParams),
      });
    } catch (error) {
      if (error instanceof RuntimeUnavailableError || !request.signal?.aborted) throw error;
      const { name, message } = abortError(request.signal);
      return failedResult(toRunError(name, message));
    }
  };

/** Starts a server on a free loopback port. */
export const serve = async (listener: RequestListener, host: '127.0.0.1' | '[::1]' = '127.0.0.1') => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host.replace(/[[\]]/g, ''), resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
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

/** Starts a program that is not forked. */
export const plainSpawner = (options: ProgramOptions) => spawnPlainly(programOf(options));
