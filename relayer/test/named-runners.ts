/** Runners at several addresses of this machine, behind one name that only `lookup` knows. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import tls from 'node:tls';
import { cidOf } from '@latchkey/protocol';
import { noUsage, readMessage, type ToRunner, toRunner, writeMessage } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { protocols } from '@latchkey/service/versions';
import { type Issued, issue } from '@latchkey/testing/certificates';
import { startRunnerProcess } from '@latchkey/testing/services';
import { vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { RunRequest } from '../src/runners/remote-run.ts';
import { connectRunners, type Runners } from '../src/runners/runners.ts';

export const NAME = 'runners.test';
export const TOKEN = 'token-'.repeat(6);

const authority = issue({ name: 'authority.test', ca: true });
export const certificate = issue({ name: NAME, issuer: authority });
/** As trusted, of another name. */
export const foreign = issue({ name: 'other.test', issuer: authority });
/** Of the name, but not of the authority. */
export const selfSigned = issue({ name: NAME });

/** Trusts the authority, as NODE_EXTRA_CA_CERTS does. Dispose afterwards: test files share their modules. */
export function trustAuthority(): Disposable {
  const { connect } = tls;
  const spy = vi
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) =>
      connect({ ...options, ca: authority.pem })) as typeof connect);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

export type StandIn = AsyncDisposable & {
  /** Runs that it took. */
  ran: () => number;
  /** Connections of relayers that are open. */
  connections: () => number;
  /** Answers the runs that it holds, and all later ones. */
  release: () => void;
};

/** Starts a runner without processes: the response of each run is its address. */
export async function startStandIn(host: string, port: number, { isHolding = false } = {}): Promise<StandIn> {
  const server = listenTls(certificate);
  const relayers = new WebSocketServer({
    server,
    handleProtocols: () => `latchkey-runner.${protocols.runner.latest}`,
  });
  const held = Promise.withResolvers<void>();
  if (!isHolding) held.resolve();
  let ran = 0;
  relayers.on('connection', (socket) => {
    const send = (message: object) => socket.send(writeMessage(message));
    const answer = async (message: ToRunner): Promise<void> => {
      if (message.type === 'take') return send({ type: 'taken', id: message.id });
      if (message.type !== 'run') return;
      ran += 1;
      await held.promise;
      const result = { response: host, logs: '', hasError: false, durationMs: 1, usage: noUsage };
      send({ type: 'result', id: message.id, result });
    };
    send({ type: 'hello', memoryLimitMb: 64, walls: [] });
    socket.on('message', (data: Buffer) => void answer(readMessage(toRunner, data).message));
  });
  await once(server.listen(port, host), 'listening');
  return {
    ran: () => ran,
    connections: () => relayers.clients.size,
    release: held.resolve,
    async [Symbol.asyncDispose]() {
      for (const socket of relayers.clients) socket.terminate();
      server.closeAllConnections();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

const listenTls = ({ pem, privateKey }: Issued) =>
  createServer({ cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });

/** Starts a machine without a runner. `received` has what it could decrypt. */
export async function startStranger(host: string, port: number, issued: Issued) {
  const server = listenTls(issued);
  let received = '';
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.on('secureConnection', (socket) => {
    socket.on('data', (data: Buffer) => {
      received += data;
    });
  });
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
  await once(server.listen(port, host), 'listening');
  return {
    received: () => received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Starts a real runner with the token at an address. Its certificate is in the directory. */
export function startRunnerAt(host: string, port: number, directory: string, issued = certificate) {
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  writeFileSync(certFile, issued.pem);
  writeFileSync(keyFile, issued.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const settings = {
    RUNNER_TLS_CERT_FILE: certFile,
    RUNNER_TLS_KEY_FILE: keyFile,
    RUNNER_TOKEN: TOKEN,
    MAX_CONCURRENT_RUNS: '1',
  };
  return startRunnerProcess(settings, `${host}:${port}`);
}

/** A name server that a test controls. */
export type Answers = { now: () => string[] | Promise<string[]>; asked: number };

export function connectNamed(urls: string[], answers: Answers): Runners & Disposable {
  const runners = connectRunners({
    urls,
    token: TOKEN,
    memoryLimitMb: 64,
    log: createLogger({ name: 'test', level: 'silent' }),
    onHostError() {},
    onWrongAnswer() {},
    async lookup() {
      answers.asked += 1;
      return answers.now();
    },
  });
  return Object.assign(runners, { [Symbol.dispose]: runners.close });
}

const keys: RunRequest['keys'] = {
  nodes: async () => ({ isRefused: true, message: '' }),
  runId: crypto.randomUUID(),
  onOutage() {},
  certificateOf: async () => '',
  secretOf: () => Promise.reject(new Error('no secrets')),
};

/** Resolves to the response of a run. */
export async function runAt(runners: Runners, code = 'const main = () => 1'): Promise<unknown> {
  const { signal } = new AbortController();
  const request = {
    account: 1n,
    code,
    cid: await cidOf(code),
    params: '{}',
    timeoutMs: 60_000,
    keys,
    signal,
  };
  return (await runners.run({ ...request, usageKeyHash: 7n, takeAllowance: async () => '' })).response;
}
