import { request } from 'node:http';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type EndedRequest, forbidden, listen, mount, routeDefiner, unauthorized } from './index.ts';

/** Serves a route whose caller is in the header `who`, and collects what `onEnd` is told. */
async function serve(handle: () => Promise<string>) {
  const ended: EndedRequest[] = [];
  const app = mount({
    routes: [
      routeDefiner<{ who: string }>()({
        ...({ method: 'GET', path: '/items/:id', tag: 't', summary: 's', auth: 'who' } as const),
        params: z.object({ id: z.string().max(10) }),
        reply: z.string(),
        handle: (_context: unknown, { charge }) => {
          charge(5n);
          return handle();
        },
      }),
    ],
    context: {},
    authenticators: {
      who: {
        schemes: {},
        authenticate: async (_context, request) => {
          const { who } = request.headers;
          if (typeof who !== 'string') throw unauthorized('Unknown.');
          request.identify(1n, 2n);
          if (who === 'refused') throw forbidden('Refused.');
          return who;
        },
        callerId: (who) => who,
      },
    },
    prefix: '/v1',
    log: pino({ level: 'silent' }),
    api: { title: 'T', version: '1' },
    onEnd: (one) => ended.push(one),
  });
  const server = await listen(app, 0);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const ask = (id: string, headers = {}) => fetch(`${server.url}/items/${id}?query`, { headers });
  return { ended, ask, url: server.url };
}
const known = { who: 'known' };

test('onEnd is told of requests of known callers with their cost, and of refused ones', async () => {
  const { ended, ask } = await serve(async () => 'reply');
  await ask('a', known);
  await ask('too-long-for-an-id', known);
  await ask('a', { who: 'refused' });
  await expect.poll(() => ended.length).toBe(3);
  const same = {
    account: 1n,
    keyHash: 2n,
    method: 'GET',
    route: '/items/:id',
    requestId: expect.any(String),
  };
  expect(ended).toEqual([
    { ...same, status: 200, error: undefined, chargedMicros: 5n, durationMs: expect.any(Number) },
    {
      ...same,
      status: 422,
      error: 'unprocessable_entity',
      chargedMicros: 0n,
      durationMs: expect.any(Number),
    },
    { ...same, status: 403, error: 'forbidden', chargedMicros: 0n, durationMs: expect.any(Number) },
  ]);
});

test('onEnd is told nothing of unknown callers and unknown paths', async () => {
  const { ended, ask, url } = await serve(async () => 'reply');
  expect((await ask('a')).status).toBe(401);
  expect((await fetch(`${url}/other`, { headers: known })).status).toBe(404);
  await ask('a', known);
  await expect.poll(() => ended.length).toBe(1);
});

test('onEnd is told of a request whose client left, without a status', async () => {
  const begun = Promise.withResolvers<void>();
  const reply = Promise.withResolvers<string>();
  const { ended, url } = await serve(() => {
    begun.resolve();
    return reply.promise;
  });
  const client = request(`${url}/items/a`, { headers: known }).on('error', () => {});
  client.end();
  await begun.promise;
  client.socket?.resetAndDestroy();
  await expect
    .poll(() => ended, { timeout: 10_000 })
    .toMatchObject([{ status: undefined, error: undefined }]);
  reply.resolve('late');
});
