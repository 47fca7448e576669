/** Where relayers connect: a Unix socket, or a port with a token, over TLS unless it is on this machine. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { GOING_AWAY, MAX_MESSAGE_BYTES, socketPath } from '@latchkey/runner-protocol';
import {
  agree,
  describeMismatch,
  OTHER_PROTOCOL_STATUS,
  protocols,
  spoken,
} from '@latchkey/service/versions';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Config } from '../config.ts';

/** Time in which relayers learn that the runner stops. */
const CLOSE_MS = 1_000;
/** Time for which `/health` names a relayer that was refused. It tries again four times per second. */
const REFUSED_MS = 10_000;

export type Server = { url: string; close: () => Promise<void> };

type Handlers = {
  isHealthy: () => boolean;
  onConnection: (socket: WebSocket) => void;
  /** Called with the reason when a relayer of another version is refused, once in a while. */
  onRefused: (reason: string) => void;
};

/** Rejects when the port or the socket is in use. */
export async function listen(
  { listen: address, readTls, secrets: { token } }: Pick<Config, 'listen' | 'readTls' | 'secrets'>,
  { isHealthy, onConnection, onRefused }: Handlers,
): Promise<Server> {
  const tls = readTls();
  const server = tls ? createTlsServer(tls) : createServer();
  const sockets = createSockets();
  const refusals = createRefusals(onRefused);
  server.on('request', (request, response) => {
    const status = request.url === '/health' ? (isHealthy() ? 200 : 503) : 404;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({
        status: status === 200 ? 'ok' : status === 503 ? 'unhealthy' : 'not_found',
        detail: refusals.recent(),
      }),
    );
  });
  server.on('upgrade', (request, socket, head) => {
    // Node removes its own listener: without one, a connection that breaks now would end the process.
    socket.on('error', () => socket.destroy());
    if (token !== undefined && !isSame(request.headers.authorization ?? '', `Bearer ${token}`))
      return refuse(socket, '401 Unauthorized');
    const offered = request.headers['sec-websocket-protocol'];
    if (offered !== undefined && agree(protocols.runner, offered))
      return sockets.handleUpgrade(request, socket, head, onConnection);
    refusals.add(offered);
    return refuseProtocol(socket);
  });

  if ('path' in address) {
    // Leaves an existing directory as it is: others can use it.
    mkdirSync(dirname(address.path), { recursive: true, mode: 0o700 });
    process.umask(0o077);
    await removeStale(address.path);
    server.listen(socketPath(address.path));
  } else server.listen(address.port, address.host);
  await once(server, 'listening');

  const bound = server.address();
  return {
    url:
      'path' in address
        ? `unix:${address.path}`
        : `${tls ? 'wss' : 'ws'}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${(bound as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets.clients) {
        socket.close(GOING_AWAY);
        setTimeout(() => socket.terminate(), CLOSE_MS).unref();
      }
      server.closeAllConnections();
      await closed;
    },
  };
}

const OTHER_PROTOCOL = `${OTHER_PROTOCOL_STATUS} Upgrade Required`;
/** Half-closed, the connection would stay for as long as the other side likes, and hold up a stop. */
const refuse = (socket: Duplex, status: string, header = '') =>
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${header}Content-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );

const refuseProtocol = (socket: Duplex) =>
  refuse(socket, OTHER_PROTOCOL, `Sec-WebSocket-Protocol: ${spoken(protocols.runner).join(', ')}\r\n`);

const createSockets = () =>
  new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => agree(protocols.runner, [...offered].join()) ?? false,
  });

/** The relayers of other versions that were refused. */
function createRefusals(onRefused: Handlers['onRefused']) {
  let last: { reason: string; untilMs: number } | undefined;
  const recent = (): string | undefined =>
    last && last.untilMs > performance.now() ? last.reason : undefined;
  return {
    recent,
    add(offered = 'an earlier protocol'): void {
      const reason = describeMismatch(protocols.runner, offered, ['a relayer', 'this runner']);
      if (recent() !== reason) onRefused(reason);
      last = { reason, untilMs: performance.now() + REFUSED_MS };
    },
  };
}

/** Compares in a time that does not depend on the texts. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

/** Removes the socket of a runner that was killed. Throws when one listens on it. */
async function removeStale(path: string): Promise<void> {
  const probe = connect(socketPath(path));
  const isUsed = await Promise.race([
    once(probe, 'connect').then(() => true),
    once(probe, 'error').then(() => false),
  ]).catch(() => false);
  probe.destroy();
  if (isUsed) throw new Error(`another runner listens on ${path}`);
  rmSync(path, { force: true });
}
