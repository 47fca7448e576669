import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, limitConnections } from './connections.ts';
import { badRequest, errorBody } from './errors.ts';

/** Maximum bytes of all request headers: a signed envelope in `X-Wallet-Auth` alone may have 16 KiB. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the 60 s for which proxies keep a connection, so that no proxy sends into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Added to the announced time, so that a request of a busy client does not meet the end of its connection. Node 20 adds none. */
const KEEP_ALIVE_GRACE_MS = 10_000;
const DRAIN_DEADLINE_MS = 30_000;
/**
 * Connections that wait while the process is busy. Linux resets further ones after a while; it allows 4,096 by default,
 * and Node asks for 511.
 */
const BACKLOG = 4_096;

export type Listening = {
  port: number;
  /** `http://host:port`, without a trailing slash. */
  url: string;
  /** Stops accepting, lets open requests end, and closes the remaining connections after `deadlineMs`. */
  close: (deadlineMs?: number) => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * Serves `app` on `port` (0 for any free one) of `host`. Timeouts apply to receiving a request, not to answering it.
 * Rejects when the port is not available.
 */
export async function listen(
  app: RequestListener,
  port: number,
  host = '127.0.0.1',
  limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
): Promise<Listening> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
  });
  // Node otherwise drops the reply to a client that closes its side after its request.
  Object.assign(server, { httpAllowHalfOpen: true });
  const handle = limitConnections(server, limits, (req, res) => {
    const { socket } = req;
    res.once('close', () => {
      // Set on idle connections only.
      if (socket.timeout) socket.setTimeout(KEEP_ALIVE_TIMEOUT_MS + KEEP_ALIVE_GRACE_MS);
      // A connection that was busy when the server closed becomes idle only after this event.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    if (namesHost(req)) app(req, res);
    else refuse(res, 'expected one Host header with a name.');
  });
  server.on('request', handle);
  // Without a listener Node answers an unknown Expect with an empty 417.
  server.on('checkExpectation', handle);
  // With this listener the application accepts a body by `sendContinue`, and refuses it before it is sent.
  server.on('checkContinue', handle);
  server.on('clientError', refuseMalformed);
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');

  let closing: Promise<void> | undefined;
  const drain = async (deadlineMs: number): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    await closed;
    clearTimeout(deadline);
  };
  const close = (deadlineMs = DRAIN_DEADLINE_MS): Promise<void> => {
    closing ??= drain(deadlineMs);
    return closing;
  };
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** Returns the reply to a request that the application does not get. */
function refusal(message: string): { headers: Record<string, string>; body: string } {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(badRequest(message), requestId));
  const headers = {
    Connection: 'close',
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { headers, body };
}

function refuseMalformed(_error: Error, socket: Duplex): void {
  // After earlier bytes on this connection a second status line could land inside a reply.
  if (!socket.writable || ('bytesWritten' in socket && socket.bytesWritten !== 0)) {
    socket.destroy();
    return;
  }
  const { headers, body } = refusal('The HTTP request is malformed or incomplete.');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
}

function refuse(res: ServerResponse, message: string): void {
  const { headers, body } = refusal(message);
  res.writeHead(400, headers).end(body);
}

/**
 * RFC 9112, section 3.2. Proxies and servers that read different Host headers would disagree about where a request goes.
 * Node refuses requests of HTTP/1.1 without one.
 */
function namesHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length !== 4 || rawHeaders[i]?.toLowerCase() !== 'host') continue;
    if (rawHeaders[i + 1] === '') return false;
    count++;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
}
