/** A receiver of webhooks on 127.0.0.1, with an implementation of Standard Webhooks of its own. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Received = { headers: Record<string, string>; body: string; path: string };

type Message = { type: string; timestamp: string; data: Record<string, unknown> };
type Signed = { id: string; timestamp: string; body: string };

const TOLERANCE_SEC = 300;

/** Returns the signature by a secret of `whsec_` and base64. */
export const signatureOf = (secret: string, { id, timestamp, body }: Signed): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

function verify(secret: string, { headers, body }: Received): Message {
  const timestamp = headers['webhook-timestamp'] ?? '';
  const ageSec = Date.now() / 1_000 - Number(timestamp);
  if (!(Math.abs(ageSec) < TOLERANCE_SEC)) throw new Error('the timestamp is not of now');
  const signature = signatureOf(secret, { id: headers['webhook-id'] ?? '', timestamp, body });
  if (headers['webhook-signature'] !== signature)
    throw new Error('the signature is of another secret or body');
  return JSON.parse(body) as Message;
}

/** `answer` replies after the body was read; without it, every request gets 204. */
export async function startWebhookReceiver(
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
    url: `http://127.0.0.1:${port}/webhooks`,
    /** Verifies the signatures. Returns the messages. */
    verified: (secret: string): Message[] => received.map((request) => verify(secret, request)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
