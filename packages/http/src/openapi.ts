import { z } from 'zod';
import type { Authenticator } from './authenticator.ts';
import { LARGE_BODY_BYTES } from './body-budget.ts';
import { type ErrorCode, errorStatus, GONE } from './errors.ts';
import { acceptsIdempotencyKey } from './pipeline.ts';
import { rateLimitReplyHeaders } from './rate-limit-headers.ts';
import type { AnyRoute } from './route.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

export type ApiInfo = {
  title: string;
  version: string;
  description?: string;
  /** The meaning of each price name, shown as `x-price` of the routes with that name. */
  prices?: Record<string, JsonObject>;
};

type DocumentOptions = ApiInfo & {
  authenticators: Record<string, Pick<Authenticator<never, never>, 'schemes' | 'errors'>>;
  /** True when routes with authentication accept `X-Min-Block`. */
  minBlock: boolean;
  /** True when an idempotency store is given. */
  idempotency: boolean;
};

type Failure = ErrorCode | 'gone';
const failureStatus: Record<Failure, number> = { ...errorStatus, gone: GONE };

const codeMeaning: Record<Failure, string> = {
  bad_request: 'Malformed JSON, or an invalid value of the right type',
  invalid_json: 'The body is not valid JSON',
  unauthorized: 'Missing, unknown, expired or removed credential',
  payment_required: 'Not enough credit, or a spend cap is reached',
  forbidden: 'The caller is not allowed to do this',
  not_found: 'Not found',
  gone: 'Disabled; the error code is `not_found`',
  conflict: 'Conflict with the current state',
  payload_too_large: 'The body is too large',
  unprocessable_entity: 'The request does not match its schema',
  too_many_requests: 'Too many requests',
  internal_error: 'The service failed',
  service_unavailable: 'A service that this request depends on is unavailable',
};

const errorSchema: JsonObject = {
  type: 'object',
  description: 'The body of every reply with a status of 400 or more.',
  required: ['error', 'message', 'request_id'],
  properties: {
    error: { type: 'string', enum: Object.keys(errorStatus) },
    message: { type: 'string' },
    fix: { type: 'string', description: 'How to fix the request.' },
    request_id: { type: 'string', format: 'uuid', description: 'Also in the header X-Request-Id.' },
  },
};

/** Returns the OpenAPI 3.1 document of these routes; equal routes give equal text. */
export function openapiDocument(routes: readonly AnyRoute[], options: DocumentOptions): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, options);
  }
  const schemes = Object.values(options.authenticators).flatMap(({ schemes }) => Object.entries(schemes));
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      ...(options.description === undefined ? {} : { description: options.description }),
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: Object.fromEntries(schemes),
    },
  };
}

function operation(route: AnyRoute, options: DocumentOptions): JsonObject {
  const security =
    route.auth === 'none'
      ? []
      : Object.keys(options.authenticators[route.auth]?.schemes ?? {}).map((name) => ({ [name]: [] }));
  const takesKey = options.idempotency && acceptsIdempotencyKey(route);
  const takesMinBlock = options.minBlock && route.auth !== 'none';
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.price === undefined ? {} : { 'x-price': describePrice(route.price, options.prices) }),
    security,
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
      ...(takesMinBlock ? [minBlockParameter] : []),
      ...(takesKey ? [idempotencyKeyParameter(route)] : []),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: route.rawBody ?? !z.safeDecode(route.body, {} as never).success,
            content: route.rawBody
              ? {
                  '*/*': {
                    schema: { type: 'string', format: 'binary' },
                    ...exampleField(String(route.example?.body ?? '') || undefined),
                  },
                }
              : {
                  'application/json': {
                    schema: wireSchema(route.body),
                    ...exampleField(route.example?.body),
                  },
                },
          },
        }
      : {}),
    responses: responses(route, options),
  };
}

/** `add_group`; prefixed with the method when the path has parameters or the method is GET. */
function operationId(route: AnyRoute): string {
  return `${route.method.toLowerCase()}_${route.path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replace(/\W/g, ''))
    .join('_')}`;
}

function describePrice(name: string, prices: ApiInfo['prices']): JsonObject {
  const price = prices?.[name];
  if (!price) throw new Error(`no price ${name}`);
  return { name, ...price };
}

const idempotencyKeyParameter = (route: AnyRoute): JsonObject => ({
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours.',
  schema: route.secretIdempotencyKey
    ? { type: 'string', minLength: 22, maxLength: 255, pattern: '^[A-Za-z0-9_-]+$' }
    : { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
});

const minBlockParameter: JsonObject = {
  name: 'X-Min-Block',
  in: 'header',
  description: 'The reply includes at least this block.',
  schema: { type: 'integer', minimum: 0 },
};

function parameters(location: 'path' | 'query' | 'header', schema: z.ZodType | undefined): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = wireSchema(schema) as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

function responses(route: AnyRoute, options: DocumentOptions): JsonObject {
  const everyReply = {
    'X-Request-Id': {
      description: 'Id of this request, set by the server.',
      schema: { type: 'string', format: 'uuid' },
    },
  };
  const success = (description: string): JsonObject => ({
    description,
    headers: {
      ...everyReply,
      ...textHeaders(route.replyHeaders ?? {}),
    },
    content: {
      'application/json': { schema: wireSchema(route.reply), ...exampleField(route.example?.reply) },
      ...(route.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
      ...(route.events ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
    },
  });
  const failure = (code: Failure): JsonObject => ({
    description: codeMeaning[code],
    headers: {
      ...everyReply,
      ...(code === 'too_many_requests'
        ? {
            'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
            ...textHeaders(rateLimitReplyHeaders),
          }
        : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  });
  return Object.fromEntries([
    [String(route.status ?? 200), success('Success')],
    ...Object.entries(route.statuses ?? {}).map(([status, text]) => [status, success(text)]),
    ...(route.textReply === undefined
      ? []
      : [['2XX', { description: route.textReply, headers: everyReply, content: { '*/*': {} } }]]),
    ...[...errorCodes(route, options)].map((code) => [String(failureStatus[code]), failure(code)]),
  ]);
}

/** Returns headers by their descriptions. */
const textHeaders = (descriptions: Record<string, string>): JsonObject =>
  Object.fromEntries(
    Object.entries(descriptions).map(([name, text]) => [
      name,
      { description: text, schema: { type: 'string' } },
    ]),
  );

const exampleField = (value: unknown): JsonObject => (value === undefined ? {} : { example: value as Json });

/** Returns the codes of the route, of its authenticator and of the pipeline. */
function errorCodes(route: AnyRoute, options: DocumentOptions): Set<Failure> {
  const takesKey = options.idempotency && acceptsIdempotencyKey(route);
  const isLarge = route.body && (route.bodyLimitBytes ?? 0) > LARGE_BODY_BYTES;
  const hasInput = route.body || route.query || route.params || route.headers || takesKey;
  return new Set<Failure>([
    ...(route.errors ?? []),
    'internal_error',
    'bad_request',
    ...(route.auth === 'none' ? [] : (['unauthorized'] as const)),
    ...(options.authenticators[route.auth]?.errors ?? []),
    ...(options.minBlock ? (['too_many_requests'] as const) : []),
    ...(isLarge ? (['too_many_requests', 'service_unavailable'] as const) : []),
    ...(route.price !== undefined ? (['payment_required'] as const) : []),
    ...(hasInput ? (['unprocessable_entity'] as const) : []),
    ...(route.body ? (['payload_too_large'] as const) : []),
    ...(takesKey ? (['conflict', 'too_many_requests'] as const) : []),
  ]);
}

/** Returns the input side of each codec, which is the wire form of requests and replies. */
function wireSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonObject;
}
