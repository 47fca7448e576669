import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createLogger } from '@latchkey/service/logger';
import { Registry } from 'prom-client';
import { z } from 'zod';
import {
  type BodyLimits,
  type Claim,
  conflict,
  decimal,
  description,
  EncodedReply,
  forbidden,
  groupId,
  HttpError,
  hash,
  type IdempotencyStore,
  type Listening,
  listen,
  metricsApp,
  mount,
  name,
  notFound,
  pageQuery,
  paymentRequired,
  requireApiKey,
  routeDefiner,
  type StoredReply,
  serviceUnavailable,
  TextReply,
  tooManyRequests,
  unauthorized,
} from '../src/index.ts';

/** Returns a store in memory without expiry of outcomes. An expired lease can be claimed again. */
export function memoryIdempotencyStore(): IdempotencyStore & { size: () => number } {
  type Record = { requestHash: string; holder: string; leaseEndMs: number; reply?: StoredReply };
  const records = new Map<string, Record>();
  const held = (id: string, holder: string): Record | undefined => {
    const record = records.get(id);
    return record?.holder === holder && record.reply === undefined ? record : undefined;
  };
  return {
    size: () => records.size,
    claim: async (id, { requestHash, holder, leaseMs }): Promise<Claim> => {
      const record = records.get(id);
      if (record?.reply) return { state: 'done', requestHash: record.requestHash, reply: record.reply };
      if (record && (record.leaseEndMs > Date.now() || record.requestHash !== requestHash))
        return { state: 'running', requestHash: record.requestHash };
      records.set(id, { requestHash, holder, leaseEndMs: Date.now() + leaseMs });
      return { state: 'claimed' };
    },
    renew: async (id, holder, leaseMs) => {
      const record = held(id, holder);
      if (record) record.leaseEndMs = Date.now() + leaseMs;
    },
    complete: async (id, holder, reply) => {
      const record = held(id, holder);
      if (record) record.reply = reply;
    },
    release: async (id, holder) => {
      if (held(id, holder)) records.delete(id);
    },
  };
}

/** The context of the routes below; `gate` blocks a handler until the test opens it. */
export type TestContext = {
  effects: string[];
  credit: number;
  gate: Promise<void>;
  /** The reply of the route with CSV. */
  rows: { number: number; text: string | null }[];
};

const defineRoute = routeDefiner<{ key: { name: string } }, 'write'>();
const tag = 'test';
const encodedSchema = z.object({ text: z.string() });
const encodedReply = new EncodedReply(encodedSchema, { text: 'é' });

const failures = {
  '402': () => paymentRequired('No credit.'),
  '403': () => forbidden('Not this key.'),
  '404': () => notFound('No such group.'),
  '409r': () => conflict('busy', { retryAfterSec: 5 }),
  '429': () => tooManyRequests('Too fast.', 2.1),
  '500': () => new TypeError('boom of secret AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='),
  '503': () => serviceUnavailable('the chain at http://user:pw@chain/?key=1 is down', { fix: 'wait' }),
  '503r': () => new HttpError('service_unavailable', 'down', { retryAfterSec: 7 }),
};

export const routes = [
  defineRoute({
    method: 'POST',
    path: '/core/v1/add_group',
    tag,
    summary: 'Adds a group',
    auth: 'key',
    price: 'write',
    body: z.object({
      group_name: name,
      group_description: description.optional(),
      cid_hashes_permitted: z.array(hash).max(10),
      parent: groupId.optional(),
    }),
    reply: z.object({ success: z.literal(true), group_id: decimal, by: z.string() }),
    replyHeaders: { 'X-Block-Number': 'Block of the receipt.' },
    errors: ['forbidden'],
    handle: async (context: TestContext, { body, caller, setHeader }) => {
      const { effects, gate } = context;
      if (body.group_name === 'forbidden') throw forbidden('Not this key.');
      if (context.credit < 1) throw paymentRequired('No credit.', { fix: 'Add credit.' });
      await gate;
      context.credit--;
      effects.push(body.group_name);
      if (body.group_name === 'fails') throw new Error('late failure');
      setHeader('X-Block-Number', effects.length);
      return { success: true as const, group_id: BigInt(effects.length), by: caller.name };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/list_groups',
    tag,
    summary: 'Lists groups',
    auth: 'key',
    query: pageQuery.extend({ group_id: groupId.optional() }),
    reply: z.object({
      page: z.int(),
      size: z.int(),
      group: decimal.nullable(),
      minBlock: decimal.nullable(),
    }),
    handle: (_context: unknown, { query, minBlock }) => ({
      page: query.page_number,
      size: query.page_size,
      group: query.group_id ?? null,
      minBlock: minBlock ?? null,
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/encoded',
    tag,
    summary: 'Returns an encoded reply',
    auth: 'none',
    reply: encodedSchema,
    handle: () => encodedReply,
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/echo',
    tag,
    summary: 'Returns the query as text',
    auth: 'none',
    reply: z.string(),
    textReply: 'The query.',
    handle: (_context: unknown, { rawQuery }) => new TextReply(203, 'text/plain', rawQuery),
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/code_length',
    tag,
    summary: 'Length of code',
    auth: 'none',
    body: z.string(),
    bodyLimitBytes: 10 * 1024 * 1024,
    reply: z.int(),
    handle: (_context: unknown, { body }) => body.length,
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/run',
    tag,
    summary: 'Reads a large body of an authenticated caller and waits for the gate',
    auth: 'key',
    body: z.object({ code: z.string() }),
    bodyLimitBytes: 10 * 1024 * 1024,
    reply: z.int(),
    handle: async ({ effects, gate }: Pick<TestContext, 'effects' | 'gate'>, { body }) => {
      effects.push('run');
      await gate;
      return body.code.length;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/sha256_of_bytes',
    tag,
    summary: 'Hash of the bytes of the body',
    auth: 'none',
    rawBody: true,
    body: z.custom<Buffer>(),
    bodyLimitBytes: 1_024,
    reply: z.string(),
    handle: (_context: unknown, { body }) => createHash('sha256').update(body).digest('hex'),
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/rows',
    tag,
    summary: 'Rows, also as CSV',
    auth: 'none',
    reply: z.array(z.object({ number: z.number(), text: z.string().nullable() })),
    csv: ['text', 'number'],
    replyHeaders: { 'X-Total-Count': 'Rows.' },
    handle: ({ rows }: Pick<TestContext, 'rows'>, { setHeader }) => {
      setHeader('X-Total-Count', rows.length);
      return rows;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/echo',
    tag,
    summary: 'Any object',
    auth: 'none',
    body: z.object({ params: z.record(z.string(), z.unknown()).nullable().optional() }),
    reply: z.unknown(),
    handle: (_context: unknown, { body }) => body.params ?? null,
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/new_account',
    tag,
    summary: 'New account',
    auth: 'none',
    reply: z.int(),
    handle: ({ effects }: Pick<TestContext, 'effects'>) => effects.push('account'),
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/things/:id/fail',
    tag,
    summary: 'Fails with the given status',
    auth: 'none',
    params: z.object({ id: z.enum(['402', '403', '404', '409r', '429', '500', '503', '503r']) }),
    reply: z.null(),
    errors: ['payment_required', 'forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
    handle: ({ effects }: Pick<TestContext, 'effects'>, { params }): null => {
      effects.push(params.id);
      throw failures[params.id]();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/core/v1/count',
    tag,
    summary: 'Counts in events',
    auth: 'key',
    body: z.object({ to: z.int(), fails: z.boolean().default(false), isSilent: z.boolean().default(false) }),
    reply: z.object({ counted: z.int() }),
    replyHeaders: { 'X-Counted': 'The same.' },
    events: { step: z.object({ at: decimal }) },
    handle: async (
      { effects, gate }: Pick<TestContext, 'effects' | 'gate'>,
      { body, sendEvent, setHeader },
    ) => {
      if (body.to < 0) throw tooManyRequests('Too fast.', 2.1);
      effects.push('count');
      for (let at = 1; at <= body.to && !body.isSilent; at++) sendEvent?.('step', { at: BigInt(at) });
      await gate;
      if (body.fails) throw serviceUnavailable('down');
      setHeader('X-Counted', body.to);
      return { counted: body.to };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/wait',
    tag,
    summary: 'Waits until the client disconnects',
    auth: 'none',
    reply: z.null(),
    handle: async ({ effects }: Pick<TestContext, 'effects'>, { signal }): Promise<null> => {
      effects.push('waiting');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      effects.push('aborted');
      return null;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/core/v1/wrong_reply',
    tag,
    summary: 'Returns a value that does not match its schema',
    auth: 'none',
    reply: z.object({ count: z.int() }),
    handle: () => ({ count: 1.5 }),
  }),
  defineRoute({
    method: 'GET',
    path: '/health',
    tag,
    summary: 'Health',
    auth: 'none',
    reply: z.object({ ok: z.boolean() }),
    statuses: { 503: 'A part is down.' },
    handle: ({ credit }: Pick<TestContext, 'credit'>, { setStatus }) => {
      if (credit < 0) setStatus(503);
      return { ok: credit >= 0 };
    },
  }),
];

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown };
type SendOptions = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

/** Sends one HTTP request with exactly these headers. Resolves to the body as text, and as a value when it is JSON. */
export function send(url: string, { method = 'GET', headers = {}, body }: SendOptions = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Starts a service with the routes above on a free port; it knows the keys `ann` and `bob`. */
export async function startService(options: { bodies?: BodyLimits; trustProxy?: number } = {}) {
  const lines: string[] = [];
  const context: TestContext = { effects: [], credit: 1_000, gate: Promise.resolve(), rows: [] };
  const store = memoryIdempotencyStore();
  const metrics = new Registry();
  const app = mount({
    routes,
    context,
    authenticators: {
      key: {
        schemes: {
          ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          Bearer: { type: 'http', scheme: 'bearer' },
        },
        authenticate: async (_context, { headers }) => {
          const key = requireApiKey(headers);
          if (key !== 'ann' && key !== 'bob') throw unauthorized('Unknown key.');
          return { name: key };
        },
        callerId: (caller) => caller.name,
      },
    },
    idempotency: store,
    metrics,
    ...options,
    awaitBlock: async () => {},
    log: createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } }),
    prefix: '/core/v1',
    api: { title: 'Test & <service>', version: '1', prices: { write: { micros: 10_000 } } },
  });
  const server: Listening = await listen(app, 0);
  const metricsServer = await listen(metricsApp(metrics), 0);
  return {
    url: server.url,
    context,
    store,
    /** The log so far, as JSON lines. */
    lines,
    server,
    metricsUrl: `${metricsServer.url}/metrics`,
    async close() {
      await Promise.all([server.close(), metricsServer.close()]);
    },
    get: (path: string, headers: Record<string, string> = {}) => send(server.url + path, { headers }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
