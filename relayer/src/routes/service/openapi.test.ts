import { describeExamples } from '@latchkey/testing/examples';
import { documentedPath } from '@latchkey/testing/fuzz/judge';
import { stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { servedDocument } from '../../openapi.ts';
import { routes } from '../index.ts';

type Operation = { responses: Record<string, unknown>; security: unknown[]; 'x-price'?: unknown };

test('returns 200; openapi.json describes every route, its errors and its price', async () => {
  const response = await fetch(`${stack.url}/core/v1/openapi.json`);
  expect(response.status).toBe(200);
  const { openapi, paths } = (await response.json()) as {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
  };
  expect(openapi).toBe('3.1.0');
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(
    routes.map(({ method, path }) => `${method} ${documentedPath(path)}`).sort(),
  );
  const { post } = paths['/core/v1/svc_action'] ?? {};
  expect(Object.keys(post?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '400', '401', '403', '404', '409', '413', '422', '500', '503']),
  );
  expect(post?.['x-price']).toEqual({ name: 'run', micros: 10_000, per: 'started second' });
  expect(paths['/core/v1/new_account']?.post?.security).toEqual([]);
});

test('returns 200 with the description from which the SDK is generated', async () => {
  const served = await (await fetch(`${stack.url}/core/v1/openapi.json`)).text();
  expect(served).toBe(JSON.stringify(await servedDocument()));
});

test('describes 403 for every route that refuses account keys or usage keys by kind', async () => {
  const { paths } = (await (await fetch(`${stack.url}/core/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const refusing = routes.filter(({ auth }) =>
    /^(accountKey|anyAccountKey|consentingKey|usageKey)/.test(auth),
  );
  const names = refusing.map(({ path }) => path.replace('/core/v1/', ''));
  expect(names).toEqual(
    expect.arrayContaining([
      'list_api_keys',
      'billing/ledger',
      'billing/create_payment_intent',
      'billing/confirm_payment',
    ]),
  );
  for (const { path, method } of refusing)
    expect([path, Object.keys(paths[documentedPath(path)]?.[method.toLowerCase()]?.responses ?? {})]).toEqual(
      [path, expect.arrayContaining(['401', '403', '429', '503'])],
    );
});

describe('examples', () => {
  describeExamples(routes, async () => (await fetch(`${stack.url}/core/v1/openapi.json`)).json());
});

describe('the root path', () => {
  test.each(['/', '/core/v1'])('%s leads to the OpenAPI description', async (path) => {
    const html = {
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      redirect: 'manual',
    } as const;
    const page = await fetch(`${stack.url}${path}`, html);
    expect([page.status, page.headers.get('location')]).toEqual([302, '/core/v1/swagger-ui']);
    for (const headers of [{}, { Accept: 'application/json' }]) {
      const reply = await fetch(`${stack.url}${path}`, { headers });
      expect(reply.status).toBe(200);
      const links = (await reply.json()) as Record<string, string>;
      expect(links).toEqual({
        name: 'Latchkey relayer',
        openapi: '/core/v1/openapi.json',
        swagger_ui: '/core/v1/swagger-ui',
        health: '/health',
      });
      for (const link of [links.openapi, links.swagger_ui, links.health])
        expect((await fetch(`${stack.url}${link}`)).status).toBe(200);
    }
  });
});

describe('200', () => {
  test('swagger-ui is served without other hosts', async () => {
    const page = await fetch(`${stack.url}/core/v1/swagger-ui`);
    expect(page.status).toBe(200);
    const sources = (await page.text()).match(/(?:src|href)="([^"]+)"/g) ?? [];
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) expect(source).not.toMatch(/\/\//);
  });

  test('metrics name routes, payers and processes, and no key', async () => {
    expect((await fetch(`${stack.url}/version`)).status).toBe(200);
    const text = await (await fetch(stack.metricsUrl)).text();
    for (const name of ['http_request_duration_seconds', 'payer_pending_transactions', 'runtime_processes'])
      expect(text).toContain(`# TYPE ${name}`);
    expect(text).toContain('route="/version"');
    expect(text).not.toMatch(/[A-Za-z0-9+/]{43}=/);
  });
});
