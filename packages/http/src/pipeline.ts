import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Authenticator } from './authenticator.ts';
import { type BodyBudget, LARGE_BODY_BYTES } from './body-budget.ts';
import { parseU64 } from './codecs.ts';
import { canonicalJson, decodeParts, encodeReply, type Parts, readBody } from './decode.ts';
import { badRequest, conflict, errorBody, type HttpError, toHttpError } from './errors.ts';
import type { IdempotencyStore, StoredReply } from './idempotency.ts';
import { looksRandom } from './looks-random.ts';
import { announcedBytes, endReply } from './receive-body.ts';
import { createRefusalDelay } from './refusal-delay.ts';
import type { AnyRoute, Input } from './route.ts';

const DEFAULT_BODY_LIMIT_BYTES = 16 * 1024;
const delayRefusal = createRefusalDelay({ delayMs: 1_000, max: 2_000 });

const LEASE_MS = 30_000;
const LONGEST_POLL_MS = 500;
/** Refusals that a later attempt of the same request may not meet again. */
const passingCodes = new Set(['payment_required', 'too_many_requests']);

/** What `mount` keeps with each reply in `res.locals`. */
export type Locals = { requestId: string; log: Logger; routePath?: string; errorCode?: string };

type AnyInput = Input<unknown, unknown, unknown, unknown, unknown, string, number>;

type PipelineOptions = {
  route: AnyRoute;
  context: unknown;
  authenticator: Authenticator<unknown, unknown> | undefined;
  idempotency: IdempotencyStore | undefined;
  bodyBudget: BodyBudget;
  awaitBlock: ((block: bigint, ip: string) => Promise<void>) | undefined;
  /** Declared as a method, whose parameters are compared bivariantly: a service names the type of its own callers. */
  mapError(thrown: unknown, caller: unknown): unknown;
};

/** True when the route takes `Idempotency-Key` where a store is given. */
export function acceptsIdempotencyKey(route: AnyRoute): boolean {
  return route.method === 'POST' && route.idempotent !== false;
}

/** The steps of one request: authenticate, decode, look for an earlier outcome, handle, encode. */
export function pipeline(options: PipelineOptions): RequestHandler {
  const { context, authenticator, idempotency } = options;
  const route = { bodyLimitBytes: DEFAULT_BODY_LIMIT_BYTES, ...options.route };
  const handle = route.handle as (context: unknown, input: AnyInput) => unknown;
  const withErrorsMapped = async <T>(caller: unknown, work: () => Promise<T>): Promise<T> =>
    work().catch((thrown: unknown) => {
      throw options.mapError(thrown, caller);
    });

  return async (req, res) => {
    const { requestId, log } = res.locals as Locals;
    (res.locals as Locals).routePath = route.path;
    const signal = signalOf(res);
    const ip = req.ip ?? '';

    // First, since only that block may know the caller. A malformed number is refused with the other headers.
    const awaited = blockOf(req);
    const caller = await withErrorsMapped(undefined, async () => {
      if (awaited !== undefined) await options.awaitBlock?.(awaited, ip);
      return authenticator?.authenticate(context, {
        method: req.method,
        headers: req.headers,
        ip,
        requestId,
        signal,
      });
    });
    const { parts, requestHash } = await decodeRequest(route, req, res, options.bodyBudget);
    const minBlock = minBlockOf(req);
    const key = idempotency && acceptsIdempotencyKey(route) ? idempotencyKeyOf(req, route) : undefined;
    const scope = authenticator ? `caller ${authenticator.callerId(caller)}` : `ip ${ip}`;
    const idempotencyId =
      key === undefined ? undefined : sha256(JSON.stringify([scope, route.method, req.path, key]));

    const attempt = async (): Promise<StoredReply> => {
      let status = route.status ?? 200;
      const headers: Record<string, string> = {};
      const input: AnyInput = {
        ...parts,
        allHeaders: req.headersDistinct,
        caller,
        ip,
        requestId,
        minBlock,
        idempotencyId,
        signal,
        log,
        setHeader: (name, value) => {
          headers[name] = String(value);
        },
        setStatus: (other) => {
          status = other;
        },
      };
      const reply = await withErrorsMapped(caller, async () => handle(context, input));
      return { status, headers, body: encodeReply(route.reply, reply) };
    };

    const reply =
      idempotency && idempotencyId !== undefined
        ? await once(idempotency, idempotencyId, requestHash, attempt, {
            requestId,
            signal,
            log,
          })
        : await attempt();
    res.status(reply.status).set(reply.headers);
    if (route.csv && req.accepts(['application/json', 'text/csv']) === 'text/csv')
      res.type('text/csv').send(csvOf(reply.body, route.csv));
    else res.type('application/json').send(reply.body);
  };
}

/**
 * Reads and decodes the parts of a request. Nothing of the body but what its schema takes outlives this function, and
 * its share of the budget ends here; `requestHash` names the whole body for an idempotent request, '' for another.
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

/** The JSON of an array of flat objects as RFC 4180; what a spreadsheet would take for a formula is escaped. */
function csvOf(json: string, columns: readonly string[]): string {
  return stringify(JSON.parse(json) as object[], {
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
  });
}

/** Runs `attempt` unless this request already has an outcome or is under way elsewhere; then waits for that. */
async function once(
  store: IdempotencyStore,
  id: string,
  requestHash: string,
  attempt: () => Promise<StoredReply>,
  { requestId, signal, log }: { requestId: string; signal: AbortSignal; log: Logger },
): Promise<StoredReply> {
  const holder = randomUUID();
  for (let pollMs = 20; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
    const claim = await store.claim(id, { requestHash, holder, leaseMs: LEASE_MS });
    if (claim.state === 'claimed') break;
    if (claim.requestHash !== requestHash)
      throw conflict('This Idempotency-Key was used with another request.', {
        fix: 'Use a new key for a new request.',
      });
    if (claim.state === 'done') return replayOf(claim.reply, requestId);
    await delay(pollMs, undefined, { signal });
  }
  const renewal = setInterval(() => {
    store
      .renew(id, holder, LEASE_MS)
      .catch((err: unknown) => log.error({ err }, 'idempotency lease not renewed'));
  }, LEASE_MS / 3);
  try {
    const reply = await attempt().catch((thrown: unknown) => {
      const error = toHttpError(thrown);
      if (error.status >= 500 || passingCodes.has(error.code)) throw thrown;
      return { status: error.status, headers: {}, body: JSON.stringify(errorBody(error, requestId)) };
    });
    // The effect has happened: a store that fails now must not turn the answer into a failure.
    await store
      .complete(id, holder, reply)
      .catch((err: unknown) => log.error({ err }, 'idempotent outcome not stored'));
    return reply;
  } catch (thrown) {
    await store
      .release(id, holder)
      .catch((err: unknown) => log.error({ err }, 'idempotency record not released'));
    throw thrown;
  } finally {
    clearInterval(renewal);
  }
}

/** A stored reply as the reply of this request: the body of an error names the request that it answers. */
function replayOf(reply: StoredReply, requestId: string): StoredReply {
  if (reply.status < 400) return reply;
  const body = { ...(JSON.parse(reply.body) as object), request_id: requestId };
  return { ...reply, body: JSON.stringify(body) };
}

function idempotencyKeyOf(req: Request, route: AnyRoute): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw badRequest('headers.idempotency-key: expected 1 to 255 printable ASCII characters');
  if (route.secretIdempotencyKey && !looksRandom(key))
    throw badRequest('headers.idempotency-key: expected 16 random bytes: the key gives this reply again', {
      fix: 'Send a UUID, or at least 22 random characters of A-Z a-z 0-9 - _.',
    });
  return key;
}

/** The number in `X-Min-Block`; undefined without one and for what is none. */
function blockOf(req: Request): bigint | undefined {
  const header = req.get('X-Min-Block');
  return header !== undefined && /^\d+$/.test(header) ? parseU64(header) : undefined;
}

function minBlockOf(req: Request): bigint | undefined {
  const header = req.get('X-Min-Block');
  if (header === undefined) return undefined;
  const block = blockOf(req);
  if (block === undefined) throw badRequest('headers.x-min-block: expected a decimal block number');
  return block;
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Answers with the one error body. A failure of the service is logged as an error, a refusal for want of a part or of
 * room, which may be the doing of clients, as a warning; both with all that is known.
 */
export function sendError(res: Response, thrown: unknown): void {
  const { requestId, log } = res.locals as Locals;
  // Nobody is left to answer, and what was thrown is how the work ended.
  if (res.destroyed) return;
  const error: HttpError = toHttpError(thrown);
  (res.locals as Locals).errorCode = error.code;
  if (error.status >= 500)
    log[error.code === 'internal_error' ? 'error' : 'warn']({ err: error }, error.message);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (error.status === 401) res.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfterSec !== undefined)
    res.set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSec))));
  const body = JSON.stringify(errorBody(error, requestId));
  res
    .status(error.status)
    .type('application/json')
    .set('Content-Length', String(Buffer.byteLength(body)));
  const send = () => {
    res.write(body);
    void endReply(res.req, res);
  };
  if (error.status === 429) delayRefusal(res, send);
  else send();
}
