import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { listen } from '@latchkey/http/listen';
import { traceRequest } from '@latchkey/http/trace-request';
import { isTracing } from '@latchkey/service/tracing';
import {
  agree,
  describeMismatch,
  OTHER_PROTOCOL_STATUS,
  PROTOCOL_HEADER,
  protocols,
  serviceVersion,
  spoken,
} from '@latchkey/service/versions';
import { Hono } from 'hono';
import type { Config } from './config.ts';
import type { Follower } from './follow.ts';

/** Set when Ponder has read the kept tables and follows the chain. */
export type Service = {
  follower: Follower;
  /** The routes of src/api. */
  routes: { fetch(request: Request): Response | Promise<Response> };
};

const MIN_BLOCK_TIMEOUT_MS = 10_000;
/** A replaced process may still be closing its database. */
const PORT_DEADLINE_MS = 15_000;
const PORT_POLL_MS = 50;

/**
 * Serves `GET /health`. For every other route, `min_block` (decimal) waits until that block is indexed, 503 after ten
 * seconds, and the reply carries `X-Block-Number`: the reply includes at least that block.
 */
export function createApp(getService: () => Service | undefined): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const offered = c.req.header(PROTOCOL_HEADER);
    if (offered === undefined) return next();
    const agreed = agree(protocols.indexer, offered);
    if (agreed === undefined) {
      const message = describeMismatch(protocols.indexer, offered, ['the client', 'this indexer']);
      c.header(PROTOCOL_HEADER, spoken(protocols.indexer).join(', '));
      return c.json({ error: 'bad_request', message }, OTHER_PROTOCOL_STATUS);
    }
    await next();
    c.header(PROTOCOL_HEADER, agreed);
  });
  app.get('/health', (c) => {
    const service = getService();
    const block = service?.follower.head.block;
    const isHealthy = block !== undefined && service?.follower.isFollowing() === true;
    return c.json(
      {
        status: isHealthy ? 'ok' : 'not_following',
        version: serviceVersion,
        block_number: block && Number(block.number),
      },
      isHealthy ? 200 : 503,
    );
  });
  app.all('*', async (c) => {
    const minBlock = c.req.query('min_block') ?? '0';
    if (!/^\d{1,16}$/.test(minBlock)) {
      return c.json({ error: 'bad_request', message: 'min_block must be a block number.' }, 400);
    }
    const service = getService();
    const isReached = await service?.follower.head.reaches(BigInt(minBlock), MIN_BLOCK_TIMEOUT_MS);
    const block = service?.follower.head.block;
    if (service === undefined || isReached !== true || block === undefined) {
      return c.json({ error: 'service_unavailable', message: 'That block is not indexed yet.' }, 503);
    }
    const response = await service.routes.fetch(c.req.raw);
    response.headers.set('X-Block-Number', block.number.toString());
    return response;
  });
  app.onError((error, c) => {
    console.error(error);
    return c.json({ error: 'internal_error', message: 'The indexer failed to answer this request.' }, 500);
  });
  return app;
}

const traced =
  (answer: RequestListener): RequestListener =>
  (req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    const describe = () => ({ route: path.replaceAll(/0x[0-9a-f]+/gi, ':hash') });
    traceRequest(req, res, { address: req.socket.remoteAddress ?? '', describe }, () => answer(req, res));
  };

/** Serves on the port, as soon as it is free. Resolves to the port. */
export async function serve(app: Hono, { host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  const deadline = Date.now() + PORT_DEADLINE_MS;
  const answer = getRequestListener(app.fetch);
  for (;;) {
    try {
      return (await listen(isTracing() ? traced(answer) : answer, port, host)).port;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || Date.now() > deadline) throw error;
      await setTimeout(PORT_POLL_MS);
    }
  }
}
