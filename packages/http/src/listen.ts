import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { badRequest, errorBody } from './errors.ts';

/** Maximum bytes of all request headers: a signed envelope in `X-Wallet-Auth` alone may have 16 KiB. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the 60 s for which proxies keep a connection, so that no proxy sends into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Time after the announced one: a busy client's request must not meet the end of its connection. Node 20 has none. */
const KEEP_ALIVE_GRACE_MS = 10_000;
const DRAIN_DEADLINE_MS = 30_000;
/**
 * Connections that wait while the process is busy. Linux resets those above it after a while; it allows 4,096 by default,
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
export async function listen(app: Express, port: number, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
    app,
  );
  server.on('request', ({ socket }, res) => {
    res.once('close', () => {
      // Set on idle connections only.
      if (socket.timeout) socket.setTimeout(KEEP_ALIVE_TIMEOUT_MS + KEEP_ALIVE_GRACE_MS);
      // A connection that was busy when the server closed becomes idle only after this event.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
  // Without a listener Node answers an unknown Expect with an empty 417.
  server.on('checkExpectation', app);
  // With this listener the application accepts a body by `sendContinue`, and refuses it before it is sent.
  server.on('checkContinue', app);
  server.on('clientError', (_error, socket) => {
    // After earlier bytes on this connection a second status line could land inside a reply.
    if (!socket.writable || ('bytesWritten' in socket && socket.bytesWritten !== 0)) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    const body = JSON.stringify(
      errorBody(badRequest('The HTTP request is malformed or incomplete.'), requestId),
    );
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
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
