import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { memoryIdempotencyStore } from '../test/harness.ts';
import { conflict, type Listening, listen, mount, routeDefiner } from './index.ts';

class DomainError extends Error {}

type Caller = { name: string };
const defineRoute = routeDefiner<{ key: Caller }>();
const shared = { tag: 'test', summary: 'Fails', reply: z.null() } as const;
let attempts = 0;
const fail = (): null => {
  attempts++;
  throw new DomainError('by the handler');
};
const routes = [
  defineRoute({ ...shared, method: 'POST', path: '/known', auth: 'key', handle: fail }),
  defineRoute({ ...shared, method: 'POST', path: '/anonymous', auth: 'none', handle: fail }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/broken',
    auth: 'none',
    handle: () => {
      throw new TypeError('not of the domain');
    },
  }),
] as const;

const store = memoryIdempotencyStore();
let server: Listening;
beforeAll(async () => {
  const app = mount({
    routes,
    context: {},
    authenticators: {
      key: {
        schemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
        authenticate: async (_context, { headers }): Promise<Caller> => {
          if (headers['x-api-key'] === undefined) throw new DomainError('by the authenticator');
          return { name: String(headers['x-api-key']) };
        },
        callerId: ({ name }) => name,
      },
    },
    mapError: (thrown, caller) =>
      thrown instanceof DomainError ? conflict(`${thrown.message} for ${caller?.name}`) : thrown,
    awaitBlock: async () => {
      throw new DomainError('by awaitBlock');
    },
    idempotency: store,
    log: pino({ level: 'silent' }),
    prefix: '/v1',
    api: { title: 'Test', version: '1' },
  });
  server = await listen(app, 0);
});
afterAll(() => server.close());

async function send(path: string, headers: Record<string, string> = {}, method = 'POST') {
  const response = await fetch(`${server.url}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
}

describe('mapError', () => {
  test('maps an error of a handler, with the caller', async () => {
    expect(await send('/known', { 'X-Api-Key': 'ann' })).toMatchObject({
      status: 409,
      body: { message: 'by the handler for ann' },
    });
    expect(await send('/anonymous')).toMatchObject({ body: { message: 'by the handler for undefined' } });
  });

  test('maps an error of an authenticator, without a caller', async () => {
    expect(await send('/known')).toMatchObject({
      status: 409,
      body: { message: 'by the authenticator for undefined' },
    });
  });

  test('maps an error of awaitBlock, without a caller', async () => {
    expect(await send('/known', { 'X-Api-Key': 'ann', 'X-Min-Block': '7' })).toMatchObject({
      status: 409,
      body: { message: 'by awaitBlock for undefined' },
    });
  });

  test('maps before the outcome of an idempotent request is stored', async () => {
    const headers = { 'X-Api-Key': 'ann', 'Idempotency-Key': 'one' };
    attempts = 0;
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await send('/known', headers)).toMatchObject({ status: 409 });
    expect(attempts).toBe(1);
  });

  test('maps an error of the idempotency store, with the caller', async () => {
    vi.spyOn(store, 'claim').mockRejectedValueOnce(new DomainError('by the store'));
    expect(await send('/known', { 'X-Api-Key': 'ann', 'Idempotency-Key': 'two' })).toMatchObject({
      status: 409,
      body: { message: 'by the store for ann' },
    });
  });

  test('returns 500 for other errors', async () => {
    expect(await send('/broken', {}, 'GET')).toMatchObject({
      status: 500,
      body: { error: 'internal_error' },
    });
  });
});
