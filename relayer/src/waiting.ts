/** A start while the chain cannot be asked: the process is live and not ready, and tries again until it is. */
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { type Listening, listen } from '@latchkey/http/listen';
import { createLogger } from '@latchkey/service/logger';
import type { Config } from './config.ts';

const RETRY_MS = 2_000;

/** Resolves to the opened parts. While `open` rejects with `ChainUnavailableError`, answers requests that the relayer is starting. */
export async function whenChainAnswers<Opened>(
  { logLevel, host, port, connections }: Pick<Config, 'logLevel' | 'host' | 'port' | 'connections'>,
  open: () => Promise<Opened>,
): Promise<Opened> {
  const log = createLogger({ name: 'relayer', level: logLevel });
  let waiting: Listening | undefined;
  try {
    for (;;) {
      try {
        return await open();
      } catch (err) {
        if (!(err instanceof ChainUnavailableError)) throw err;
        log.warn({ err }, 'waiting for the chain');
      }
      waiting ??= await listen(answerWaiting(new Date().toISOString()), port, host, connections);
      await delay(RETRY_MS);
    }
  } finally {
    // The application listens on the same port.
    await waiting?.close(0);
  }
}

/** Replies as the routes of the same paths do. */
function answerWaiting(since: string): RequestListener {
  const detail = 'cannot be asked: the relayer starts when it can be';
  const replies: Record<string, [number, object]> = {
    '/live': [200, { ok: true }],
    '/ready': [503, { ok: false, degraded: ['chain'] }],
    '/health': [503, { ok: false, chain: { ok: false, detail, since } }],
  };
  return (request, response) => {
    const id = randomUUID();
    const refusal = { error: 'service_unavailable', message: `The chain ${detail}.`, request_id: id };
    const [path = ''] = request.url?.split('?') ?? [];
    const [status, body] = replies[path] ?? [503, refusal];
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-Id': id,
      Connection: 'close',
      ...(status === 503 && { 'Retry-After': String(RETRY_MS / 1_000) }),
    };
    response.writeHead(status, headers).end(JSON.stringify(body));
  };
}
