/** A receiver of alerts on 127.0.0.1. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Alert } from '../src/db/schema.ts';

type Received = { headers: Record<string, string>; body: string; path: string };

/** `answer` replies after the body was read; without it, every request gets 204. */
export async function startAlertReceiver(
  answer: RequestListener = (_, response) => response.writeHead(204).end(),
) {
  const received: Received[] = [];
  const state = { answer, connections: 0 };
  const server = createServer(async (request: IncomingMessage, response) => {
    const headers = request.headers as Record<string, string>;
    received.push({ headers, path: request.url ?? '', body: await text(request) });
    state.answer(request, response);
  });
  server.on('connection', () => {
    state.connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    state,
    received,
    port,
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/alerts`,
    /** Verifies the signatures. Returns the alerts. */
    verified: (secret: string): Alert[] =>
      received.map(({ body, headers }) => new Webhook(secret).verify(body, headers) as Alert),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
