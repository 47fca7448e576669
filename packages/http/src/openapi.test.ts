import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, describe, expect, test } from 'vitest';
import { routes, startService } from '../test/harness.ts';

type Operation = {
  security: object[];
  parameters: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { headers: object; content: Record<string, { schema: object }> }>;
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

const service = await startService();
const document = (await service.get('/core/v1/openapi.json')).json as Document;
afterAll(() => service.close());

const operation = (path: string, method: string): Operation => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
};

test('is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
});

test('contains every route and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(
    routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(':id', '{id}')}`).sort(),
  );
});

test('returns the same text at every start', async () => {
  const other = await startService();
  const text = (await other.get('/core/v1/openapi.json')).text;
  await other.server.close();
  expect(text).toBe(JSON.stringify(document));
});

describe('a priced POST with authentication', () => {
  const post = () => operation('/core/v1/add_group', 'post');

  test('has price, credentials and headers', () => {
    expect(post()).toMatchObject({
      'x-price': { name: 'write', micros: 10_000 },
      security: [{ ApiKey: [] }, { Bearer: [] }],
    });
    expect(post().parameters.map(({ name }) => name)).toEqual(['X-Min-Block', 'Idempotency-Key']);
    expect(post().responses['200']?.headers).toHaveProperty('X-Block-Number');
  });

  test('has the wire side of every codec', () => {
    expect(post().requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: {
            required: ['group_name', 'cid_hashes_permitted'],
            properties: {
              group_name: { type: 'string', maxLength: 128 },
              cid_hashes_permitted: { maxItems: 10, items: { pattern: '^0x[0-9a-fA-F]{64}$' } },
              parent: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
            },
          },
        },
      },
    });
    expect(post().responses['200']?.content['application/json']?.schema).toMatchObject({
      properties: { success: { const: true }, group_id: { type: 'string' } },
    });
  });

  test('has the errors of the pipeline and of the route', () => {
    expect(Object.keys(post().responses)).toEqual([
      '200',
      '400',
      '401',
      '402',
      '403',
      '409',
      '413',
      '422',
      '429',
      '500',
    ]);
  });
});

test('describes the page of a list as integers with bounds and defaults', () => {
  const parameters = operation('/core/v1/list_groups', 'get').parameters;
  expect(parameters).toContainEqual({
    name: 'page_size',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  });
});

test('a route without authentication has no credentials, no 401 and no minimum block', () => {
  const post = operation('/core/v1/new_account', 'post');
  expect(post.security).toEqual([]);
  expect(post.responses).not.toHaveProperty('401');
  expect(post.parameters.map(({ name }) => name)).toEqual(['Idempotency-Key']);
});

test('describes a raw body as bytes of any type', () => {
  expect(operation('/core/v1/sha256_of_bytes', 'post').requestBody).toEqual({
    required: true,
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  });
});

test('a list with CSV has both content types, every other reply JSON only', () => {
  const { content = {} } = operation('/core/v1/rows', 'get').responses['200'] ?? {};
  expect(content).toMatchObject({
    'application/json': { schema: { type: 'array' } },
    'text/csv': { schema: { type: 'string' } },
  });
  const list = operation('/core/v1/list_groups', 'get').responses['200']?.content ?? {};
  expect(Object.keys(list)).toEqual(['application/json']);
});

test('429 has Retry-After and the headers of the limit, a further status has its own text', () => {
  const fail = operation('/core/v1/things/{id}/fail', 'post');
  expect(Object.keys(fail.responses['429']?.headers ?? {})).toEqual(
    expect.arrayContaining(['Retry-After', 'RateLimit-Policy', 'RateLimit']),
  );
  expect(fail.parameters[0]).toMatchObject({ name: 'id', in: 'path', required: true });
  expect(operation('/core/v1/echo', 'get').responses['2XX']).toMatchObject({ description: 'The query.' });
  expect(operation('/health', 'get').responses['503']).toMatchObject({ description: 'A part is down.' });
});
