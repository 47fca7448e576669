import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from './authenticator.ts';
import { type BodyBudget, LARGE_BODY_BYTES } from './body-budget.ts';
import { parseU64 } from './codecs.ts';
import { canonicalJson, decodeParts, type Parts, readBody } from './decode.ts';
import { encodeReply } from './encode-reply.ts';
import { endTogether } from './end-together.ts';
import { badRequest, errorBody, type HttpError, toHttpError } from './errors.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import { type IdempotencyStore, idempotencyIdOf, type StoredReply } from './idempotency.ts';
import { looksRandom } from './looks-random.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { announcedBytes, endReply } from './receive-body.ts';
import { createReplyDelay } from './reply-delay.ts';
import { type AnyInput, RequestInput } from './request-input.ts';
import type { Locals } from './request-locals.ts';
import { type AnyRoute, EncodedReply, TextReply } from './route.ts';
import { once } from './run-once.ts';

const DEFAULT_BODY_LIMIT_BYTES = 16 * 1024;
const delayRefusal = createReplyDelay();

type PipelineOptions = {
  route: AnyRoute;
  context: unknown;
  authenticator: Authenticator<unknown, unknown> | undefined;
  idempotency: IdempotencyStore | undefined;
  bodyBudget: BodyBudget;
  awaitBlock: ((block: bigint, ip: string) => Promise<void>) | undefined;
  /** Methods for their bivariant parameters: they take the callers of their own service only. */
  mapError(thrown: unknown, caller: unknown): unknown;
  takeTurn(route: AnyRoute, caller: unknown, request: TurnRequest): Promise<Disposable> | undefined;
};

/** `signal` is created on its first use. */
export type TurnRequest = Readonly<Pick<Locals, 'ip' | 'signal'>>;

/** Returns true when the route accepts `Idempotency-Key`, given a store. */
export function acceptsIdempotencyKey(route: AnyRoute): boolean {
  return (route.method === 'POST' || route.price !== undefined) && route.idempotent !== false;
}

/** Returns the handler of one route: authenticate, decode, look up an earlier outcome, handle, encode. */
export function pipeline(options: PipelineOptions): RequestHandler {
  const { context, authenticator, idempotency } = options;
  const route = { bodyLimitBytes: DEFAULT_BODY_LIMIT_BYTES, ...options.route };
  const handle = route.handle as (context: unknown, input: AnyInput) => unknown;
  const mapped = async <T>(caller: unknown, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw options.mapError(thrown, caller);
    }
  };
  return async (req, res) => {
    const locals = res.locals as Locals;
    locals.routePath = route.path;

    // First, because only that block may know the caller. A malformed number is refused with the other headers.
    const awaited = readMinBlock(req);
    const caller = await mapped(undefined, async () => {
      if (awaited !== undefined) await options.awaitBlock?.(awaited, locals.ip);
      return authenticator?.authenticate(context, locals);
    });
    const { parts, requestHash } = await decodeRequest(route, req, res, options.bodyBudget);
    // After the body, which a client can send slowly, and before any work that it causes.
    using _turn = await mapped(caller, () => options.takeTurn(route, caller, locals));
    const minBlock = parseMinBlock(req);
    const key = idempotency && acceptsIdempotencyKey(route) ? parseIdempotencyKey(req, route) : undefined;
    const scope = () => (authenticator ? `caller ${authenticator.callerId(caller)}` : `ip ${locals.ip}`);
    const { method } = route;
    const idempotencyId =
      key === undefined ? undefined : idempotencyIdOf({ scope: scope(), method, path: req.path, key });

    const stream = route.events && acceptsEvents(req) ? createEventStream(res) : undefined;
    let encoded: Buffer | undefined;
    const attempt = async (): Promise<StoredReply> => {
      const input = new RequestInput(req, locals, {
        parts,
        caller,
        minBlock,
        idempotencyId,
        status: route.status ?? 200,
        sendEvent: stream && ((name, data) => stream.send(name, encodeEvent(route, name, data))),
      });
      const reply = await mapped(caller, () => handle(context, input));
      const { status, replyHeaders: headers } = input;
      if (reply instanceof TextReply) return storedText(reply, headers);
      if (!(reply instanceof EncodedReply)) return { status, headers, body: encodeReply(route.reply, reply) };
      if (idempotencyId === undefined && !route.csv) encoded = reply.bytes;
      return { status, headers, body: encoded ? '' : reply.bytes.toString() };
    };
    const isLarge = (announcedBytes(req) ?? route.bodyLimitBytes) > LARGE_BODY_BYTES;
    const replied =
      idempotency && idempotencyId !== undefined
        ? mapped(caller, () => once(idempotency, idempotencyId, requestHash, attempt, locals, isLarge))
        : attempt();
    const reply = stream ? await afterEvents(replied, stream, res) : await replied;
    if (stream && (stream.isOpen() || reply.status < 400))
      return stream.end(encoded ? { ...reply, body: encoded.toString() } : reply);
    sendReply(route, req, res, reply, encoded);
  };
}

function sendReply(route: AnyRoute, req: Request, res: Response, reply: StoredReply, encoded?: Buffer): void {
  res.status(reply.status).set(reply.headers);
  if (reply.headers['Content-Type'] !== undefined) res.end(reply.body);
  else if (route.csv && req.accepts(['application/json', 'text/csv']) === 'text/csv')
    res.type('text/csv').send(formatCsv(reply.body, route.csv));
  else sendJson(res, encoded ?? Buffer.from(reply.body));
}

const acceptsEvents = (req: Request): boolean =>
  req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';

function encodeEvent({ events }: AnyRoute, name: string, data: unknown): string {
  const schema = events?.[name];
  if (!schema) throw new Error(`the route declares no event ${name}`);
  return encodeReply(schema, data);
}

/** Resolves to the reply, or to the error body once an event is sent: the status cannot change any more. */
function afterEvents(reply: Promise<StoredReply>, stream: EventStream, res: Response): Promise<StoredReply> {
  return reply.catch((thrown: unknown) => {
    if (!stream.isOpen()) throw thrown;
    return toErrorReply(res, thrown);
  });
}

function sendJson(res: Response, bytes: Buffer): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', bytes.length);
  endTogether(res, bytes);
}

/** The text can come from another user, so a browser must not treat it as a page of this service. */
function storedText(reply: TextReply, set: Record<string, string>): StoredReply {
  const { status, contentType, text, headers } = reply;
  const sandboxed = {
    'Content-Type': contentType,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
  return { status, headers: { ...set, ...headers, ...sandboxed }, body: text };
}

/**
 * Reads and decodes the parts of a request, and releases the body's share of the budget. Only the fields of the schema
 * outlive this function. `requestHash` covers the whole body of an idempotent request, and is '' for others.
 */
async function decodeRequest(
  route: AnyRoute & { bodyLimitBytes: number },
  req: Request,
  res: Response,
  budget: BodyBudget,
): Promise<{ parts: Parts; requestHash: string }> {
  const share =
    (route.body || route.rawBody) && route.bodyLimitBytes > LARGE_BODY_BYTES
      ? await budget.open({
          ip: req.ip ?? '',
          isAnonymous: route.auth === 'none',
          announcedBytes: Math.min(announcedBytes(req) ?? route.bodyLimitBytes, route.bodyLimitBytes),
        })
      : undefined;
  try {
    const body = await readBody(route, req, res, share?.add);
    const parts = decodeParts(route, { body, query: req.query, params: req.params, headers: req.headers });
    const isIdempotent = acceptsIdempotencyKey(route) && req.headers['idempotency-key'] !== undefined;
    return { parts, requestHash: isIdempotent ? sha256(canonicalJson([body, req.query])) : '' };
  } finally {
    share?.release();
  }
}

/** Returns a JSON array of flat objects as CSV (RFC 4180). Escapes texts that a spreadsheet would run as a formula. */
function formatCsv(json: string, columns: readonly string[]): string {
  return stringify(JSON.parse(json) as object[], {
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
  });
}

function parseIdempotencyKey(req: Request, route: AnyRoute): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw badRequest('headers.idempotency-key: expected 1 to 255 printable ASCII characters');
  if (route.secretIdempotencyKey && !looksRandom(key))
    throw badRequest(
      'headers.idempotency-key: expected 16 random bytes, because the key returns this reply again',
      {
        fix: 'Send a UUID, or at least 22 random characters of A-Z a-z 0-9 - _.',
      },
    );
  return key;
}

/** Returns the number in `X-Min-Block`, undefined when it is absent or malformed. */
function readMinBlock(req: Request): bigint | undefined {
  const header = req.get('X-Min-Block');
  return header !== undefined && /^\d+$/.test(header) ? parseU64(header) : undefined;
}

function parseMinBlock(req: Request): bigint | undefined {
  const header = req.get('X-Min-Block');
  if (header === undefined) return undefined;
  const block = readMinBlock(req);
  if (block === undefined) throw badRequest('headers.x-min-block: expected a decimal block number');
  return block;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns the reply of an error. Logs a 500 as an error and a 503, which clients can cause, as a warning, both with their
 * cause.
 */
function toErrorReply(res: Response, thrown: unknown): StoredReply {
  const { requestId, log } = res.locals as Locals;
  const error: HttpError = toHttpError(thrown);
  (res.locals as Locals).errorCode = error.code;
  if (error.status >= 500)
    log[error.code === 'internal_error' ? 'error' : 'warn']({ err: error }, error.message);
  const headers: Record<string, string> = {};
  if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (error.retryAfterSec !== undefined)
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterSec)));
  if (error.limit) Object.assign(headers, rateLimitHeaders(error.limit));
  return { status: error.status, headers, body: JSON.stringify(errorBody(error, requestId)) };
}

/** Sends the reply of an error. */
export function sendError(res: Response, thrown: unknown): void {
  // The client is gone, and the thrown value is only how the work ended.
  if (res.destroyed) return;
  const { status, headers, body } = toErrorReply(res, thrown);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res
    .status(status)
    .set(headers)
    .type('application/json')
    .set('Content-Length', String(Buffer.byteLength(body)));
  const send = () => {
    res.write(body);
    void endReply(res.req, res);
  };
  if (status === 429) delayRefusal(res, send);
  else send();
}
