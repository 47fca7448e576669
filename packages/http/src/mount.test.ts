import { createRequire } from 'node:module';
import { apiKeyHash } from '@latchkey/protocol';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Service, send, startService } from '../test/harness.ts';
import { listen, mount, routeDefiner } from './index.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  test('is created for every reply, independent of the client', async () => {
    const sent = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
    const ids = new Set<unknown>();
    for (const path of [
      '/health',
      '/none',
      '/metrics',
      '/core/v1/openapi.json',
      '/core/v1/swagger-ui',
      '/%ff',
    ]) {
      const { headers } = await service.get(path, { 'x-request-id': sent });
      expect(headers['x-request-id']).toMatch(uuid);
      ids.add(headers['x-request-id']);
    }
    expect(ids.size).toBe(6);
    expect(ids.has(sent)).toBe(false);
  });
});

describe('X-Correlation-Id', () => {
  const lineOf = ({ headers }: { headers: Record<string, unknown> }) =>
    expect.poll(() => {
      const line = service.lines.find((text) => text.includes(String(headers['x-request-id'])));
      return line && JSON.parse(line);
    });

  test.each(['order-17', 'a', 'with a space', 'x'.repeat(128)])('%j is logged and echoed', async (id) => {
    const reply = await service.get('/none', { 'x-correlation-id': id });
    expect(reply.headers['x-correlation-id']).toBe(id);
    await lineOf(reply).toMatchObject({ correlation_id: id });
  });

  test.each(['', '   ', 'x'.repeat(129), 'é', 'tab\tinside'])('%j is ignored', async (id) => {
    const reply = await service.get('/none', { 'x-correlation-id': id });
    expect(reply.headers['x-correlation-id']).toBeUndefined();
    await lineOf(reply).toBeDefined();
    await lineOf(reply).not.toHaveProperty('correlation_id');
  });

  test('is absent when the request has none', async () => {
    expect((await service.get('/health')).headers['x-correlation-id']).toBeUndefined();
  });
});

test('every reply forbids caching, framing and content sniffing, and does not name the framework', async () => {
  const { headers } = await service.get('/health');
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
  expect(headers['x-powered-by']).toBeUndefined();
});

describe('/metrics', () => {
  const metrics = async () => (await send(service.metricsUrl)).text;

  test('are served on their own port only', async () => {
    expect((await send(service.metricsUrl)).headers['content-type']).toContain('text/plain');
    expect(await metrics()).toContain('process_cpu_seconds_total');
    expect((await service.get('/metrics')).status).toBe(404);
    expect((await send(service.metricsUrl.replace('/metrics', '/health'))).status).toBe(404);
  });

  test('count by declared route and status, never by the URL of the request', async () => {
    await service.post('/core/v1/things/secret-id/fail', {});
    await service.get('/core/v1/secret-path?key=secret-query');
    await expect
      .poll(metrics)
      .toMatch(
        /http_request_duration_seconds_count\{method="POST",route="\/core\/v1\/things\/:id\/fail",status="422"\} 1/,
      );
    expect(await metrics()).toMatch(/count\{method="GET",route="other",status="404"\} \d/);
    expect(await metrics()).not.toContain('secret');
  });
});

describe('the log', () => {
  test('has one line per request, without path, query, headers or body', async () => {
    const reply = await service.post(
      '/core/v1/things/404/fail?secret-query=1',
      { field: 'secret-body' },
      { 'x-api-key': 'secret-key', cookie: 'secret-cookie' },
    );
    const id = reply.headers['x-request-id'] as string;
    await expect.poll(() => service.lines.filter((line) => line.includes(id))).toHaveLength(1);
    const line = JSON.parse(service.lines.find((text) => text.includes(id)) ?? '');
    expect(line).toMatchObject({
      method: 'POST',
      route: '/core/v1/things/:id/fail',
      status: 404,
      error: 'not_found',
      duration_ms: expect.any(Number),
      client_address: '127.0.0.1',
      key_hash: apiKeyHash('secret-key').toString(16).padStart(64, '0').slice(0, 8),
    });
    expect(line.key_hash).toHaveLength(8);
    expect(service.lines.filter((text) => text.includes('secret'))).toEqual([]);
  });
});

describe('a constant reply', () => {
  test.each(['openapi.json', 'swagger-ui', 'swagger-ui/swagger-ui-bundle.js'])(
    '%s is 304 to a client that has it, also to HEAD, and 200 to others',
    async (path) => {
      const url = `${service.url}/core/v1/${path}`;
      const { status, headers } = await send(url);
      expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-cache' });
      const etag = headers.etag ?? '';
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      for (const method of ['GET', 'HEAD']) {
        const known = await send(url, { method, headers: { 'if-none-match': `"other", W/${etag}` } });
        expect({ status: known.status, text: known.text, etag: known.headers.etag }).toEqual({
          status: 304,
          text: '',
          etag,
        });
        expect((await send(url, { method, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
      }
    },
  );

  test('no other reply may be stored, or is 304', async () => {
    const any = { 'if-none-match': '*' };
    for (const path of ['/health', '/core/v1/encoded', '/core/v1/unknown']) {
      const reply = await service.get(path, any);
      expect([path, reply.headers['cache-control'], reply.status === 304]).toEqual([path, 'no-store', false]);
    }
  });
});

test('a flood of one route delays no health check of the same address', async () => {
  const flooded = Array.from({ length: 300 }, () => service.get('/core/v1/openapi.json'));
  const first = await Promise.race([
    service.get('/health').then(() => 'health'),
    // The pace of 100 a second holds the last of them for at least two seconds.
    Promise.all(flooded).then(() => 'flood'),
  ]);
  expect(first).toBe('health');
  await Promise.all(flooded);
});

describe('/core/v1/swagger-ui', () => {
  test('loads every file from this service under a strict policy', async () => {
    const page = await service.get('/core/v1/swagger-ui');
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Test &#38; &#60;service&#62;</title>');
    expect(page.text).not.toMatch(/https?:|<script>|\son\w+=/);
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).not.toContain('unsafe-eval');
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files).toHaveLength(4);
    for (const file of files) {
      const { pathname } = new URL(file, `${service.url}/core/v1/swagger-ui`);
      expect([pathname, (await service.get(pathname)).status]).toEqual([pathname, 200]);
    }
    const start = await service.get('/core/v1/swagger-ui/start.js');
    expect(start.text).toContain('"openapi.json"');
  });

  test('is served without being evaluated', () => {
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((path) => path.includes('express'))).not.toEqual([]);
    expect(loaded.filter((path) => path.includes('swagger-ui'))).toEqual([]);
  });

  test.each(['/package.json', '/../openapi.json/..', '/%2e%2e%2fpackage.json'])(
    'serves no other file: %s',
    async (file) => {
      expect((await service.get(`/core/v1/swagger-ui${file}`)).status).toBe(404);
    },
  );
});

test('mount throws for a route without an authenticator', () => {
  const defineRoute = routeDefiner<{ key: string }>();
  const route = defineRoute({
    method: 'GET',
    path: '/x',
    tag: 't',
    summary: 's',
    auth: 'key',
    reply: z.string(),
    handle: (_context: unknown, { caller }) => caller,
  });
  const start = () =>
    mount({
      routes: [route],
      context: {},
      authenticators: {} as never,
      log: pino({ level: 'silent' }),
      prefix: '/v1',
      api: { title: 'T', version: '1' },
    });
  expect(start).toThrow('no authenticator key for /x');
});

test.each([
  ['runs the handler of a GET without a price', undefined, 200, 1],
  ['gets 404 and does not run that of a GET with a price', 'write', 404, 0],
])('HEAD %s', async (_title, price, status, runs) => {
  let calls = 0;
  const route = routeDefiner<Record<never, unknown>, 'write'>()({
    ...({ method: 'GET', path: '/v1/x', tag: 't', summary: 's', auth: 'none' } as const),
    reply: z.string(),
    ...(price ? { price: 'write' as const } : {}),
    handle: () => `call ${++calls}`,
  });
  const app = mount({
    routes: [route],
    context: {},
    authenticators: {},
    prefix: '/v1',
    log: pino({ level: 'silent' }),
    api: { title: 'T', version: '1', prices: { write: {} } },
  });
  await using server = await listen(app, 0);
  expect((await fetch(`${server.url}/v1/x`, { method: 'HEAD' })).status).toBe(status);
  expect(calls).toBe(runs);
});

describe('CORS', () => {
  const origin = 'https://app.example';

  test('allows a preflight for a request with a key', async () => {
    const reply = await fetch(`${service.url}/health`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key,x-min-block',
      },
    });
    expect(reply.status).toBe(204);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization,content-type,idempotency-key,x-min-block',
      'access-control-max-age': '86400',
    });
    expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test.each(['/health', '/none'])(
    'lets other origins read the reply of %s and its headers, without cookies',
    async (path) => {
      const { headers } = await service.get(path, { origin });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      const exposed = String(headers['access-control-expose-headers']).split(',');
      expect(exposed).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After', 'X-Block-Number']));
    },
  );
});

describe('pages', () => {
  const pages = express
    .Router()
    .get('/page', (_req, res) => {
      res.type('html').send('<p>hello</p>');
    })
    .get('/broken', () => {
      throw new Error('boom');
    });
  const app = mount({
    routes: [
      routeDefiner<{ method: string }>()({
        method: 'POST',
        path: '/method',
        tag: 'test',
        summary: 'The method that the authenticator saw',
        auth: 'method',
        reply: z.string(),
        handle: (_context: unknown, { caller }) => caller,
      }),
    ],
    context: {},
    authenticators: {
      method: {
        schemes: {},
        authenticate: async (_context, { method }) => method,
        callerId: (method) => method,
      },
    },
    log: pino({ level: 'silent' }),
    prefix: '/core/v1',
    api: { title: 'Test', version: '1' },
    pages,
  });

  test('have the headers of every reply, without CORS', async () => {
    await using server = await listen(app, 0);
    const page = await fetch(`${server.url}/page`, { headers: { origin: 'https://elsewhere.example' } });
    expect(await page.text()).toBe('<p>hello</p>');
    expect(page.headers.get('x-request-id')).toMatch(uuid);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    const route = await fetch(`${server.url}/method`, { method: 'POST' });
    expect(await route.json()).toBe('POST');
    expect(route.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('that throw return the error body', async () => {
    await using server = await listen(app, 0);
    const page = await fetch(`${server.url}/broken`);
    expect(page.status).toBe(500);
    expect(await page.json()).toMatchObject({ error: 'internal_error' });
  });
});

describe('reads that need no key', () => {
  test.each(['/health', '/none'])('%s is answered late, not refused, to a flood', async (path) => {
    const service = await startService();
    onTestFinished(() => service.close());
    const startMs = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 150 }, async () => (await service.get(path)).status),
    );
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_000);
    expect(new Set(statuses)).toEqual(new Set([path === '/health' ? 200 : 404]));
  });
});
