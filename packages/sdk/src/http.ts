import type { BareClient, RequestInternals } from './bare-client.ts';
import { type Deadline, pause } from './deadline.ts';
import { abortError, HttpError, LatchkeyError } from './errors.ts';
import type { components, paths } from './generated/api.ts';

type PathOf<Method extends string> = {
  [Path in keyof paths]: paths[Path] extends { [M in Method]: object } ? Path : never;
}[keyof paths];
/** Paths of the HTTP API for GET requests. */
export type GetPath = PathOf<'get'>;
/** Paths of the HTTP API for DELETE requests. */
export type DeletePath = PathOf<'delete'>;
/** Paths of the HTTP API for requests with a body. */
export type PostPath = PathOf<'post'>;

type JsonOf<T> = T extends { content: { 'application/json': infer Json } } ? Json : never;
type Success<Operation> = Operation extends { responses: { 200: infer Reply } } ? JsonOf<Reply> : never;
/** The wire form of a body. */
export type BodyOf<Path extends PostPath> = paths[Path] extends { post: { requestBody?: infer Body } }
  ? JsonOf<NonNullable<Body>>
  : never;
/** The wire form of a reply. */
export type PostReplyOf<Path extends PostPath> = paths[Path] extends { post: infer Op } ? Success<Op> : never;
export type GetReplyOf<Path extends GetPath> = paths[Path] extends { get: infer Op } ? Success<Op> : never;
export type DeleteReplyOf<Path extends DeletePath> = paths[Path] extends { delete: infer Op }
  ? Success<Op>
  : never;

/** Parses a time of a reply. */
export const optionalDate = (text: string | null): Date | undefined =>
  text === null ? undefined : new Date(text);

type Query = Record<string, string | number | bigint | undefined>;
export type Reply<Json> = { json: Json; headers: Headers };

/** The first pause between attempts; each further pause is twice as long. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** Returns a new Idempotency-Key of 128 random bits. */
export function randomIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** The credential of a request: a key, or a wallet proof. */
export type Credential = {
  key?: string | undefined;
  /** Value of the header X-Wallet-Auth. */
  walletAuth?: string;
};

/** A reply as text. */
export type Received = { status: number; headers: Headers; text: string };
/** Reads a reply of the media type in `accept`. */
export type Receiver = { accept: string; read: (response: Response) => Promise<Received> };

const receiveText: Receiver = {
  accept: 'application/json',
  read: async (response) => {
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  },
};

type RequestOptions = Credential & {
  /** Requests a state that includes this client's own writes. */
  seesOwnWrites?: boolean;
  /** Default: JSON. */
  receiver?: Receiver | undefined;
  /** Called at the first 429. Returns headers with which the request is sent again immediately, or undefined to wait as usual. */
  onLimited?: (() => Promise<Record<string, string> | undefined>) | undefined;
  deadline: Deadline;
};
type Params = { [name: string]: string };

/** Sends a GET request. */
export function get<Path extends GetPath>(
  client: BareClient,
  path: Path,
  { query = {}, params = {}, ...options }: RequestOptions & { query?: Query; params?: Params },
): Promise<Reply<GetReplyOf<Path>>> {
  const url = buildUrl(client.url, fillPath(path, params), query);
  return request(client, url, { method: 'GET', headers: {} }, options);
}

/** Sends a DELETE request, which has the same effect however often it is sent. */
export function sendDelete<Path extends DeletePath>(
  client: BareClient,
  path: Path,
  { params = {}, ...options }: RequestOptions & { params?: Params },
): Promise<Reply<DeleteReplyOf<Path>>> {
  const url = buildUrl(client.url, fillPath(path, params), {});
  return request(client, url, { method: 'DELETE', headers: {} }, options);
}

/** Replaces each `{name}` in a path. */
const fillPath = (path: string, params: Params): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Sends a POST request: a write, or a query with a body. All attempts carry one Idempotency-Key. */
export function post<Path extends PostPath>(
  client: BareClient,
  path: Path,
  {
    body,
    idempotencyKey = randomIdempotencyKey(),
    ...options
  }: RequestOptions & { body: BodyOf<Path>; idempotencyKey?: string | undefined },
): Promise<Reply<PostReplyOf<Path>>> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return request(client, buildUrl(client.url, path, {}), init, options);
}

export function buildUrl(base: string, path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return `${base}${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

/**
 * Retries until the reply is neither 429 nor 503, or the attempts or the time are used up. Retries are safe: reads
 * change nothing, and writes carry an Idempotency-Key.
 */
export async function request<Json>(
  client: { internals: RequestInternals },
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
  { key, walletAuth, seesOwnWrites = false, receiver = receiveText, onLimited, deadline }: RequestOptions,
): Promise<Reply<Json>> {
  const { retries, fetch = globalThis.fetch, lastBlock } = client.internals;
  const headers: Record<string, string> = {
    Accept: receiver.accept,
    ...init.headers,
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...(walletAuth === undefined ? {} : { 'X-Wallet-Auth': walletAuth }),
    ...(seesOwnWrites && lastBlock > 0n ? { 'X-Min-Block': String(lastBlock) } : {}),
  };
  let isAnswered = false;
  for (let attempt = 0; ; attempt++) {
    const failure = await attemptOnce<Json>(fetch, url, { ...init, headers }, { receiver, deadline });
    if ('json' in failure) return failure;
    const { error, isPassing } = failure;
    if (error.status === 429 && onLimited && !isAnswered) {
      isAnswered = true;
      const answer = await onLimited();
      if (answer) {
        Object.assign(headers, answer);
        continue;
      }
    }
    if (!isPassing || attempt >= retries) throw error;
    const pauseMs =
      error instanceof HttpError && error.retryAfterSec !== undefined
        ? error.retryAfterSec * 1_000
        : Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
    if (performance.now() + pauseMs >= deadline.endsAtMs) throw error;
    await pause(pauseMs, deadline);
  }
}

type Failure = { error: LatchkeyError; isPassing: boolean };

async function attemptOnce<Json>(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  { receiver, deadline: { signal } }: { receiver: Receiver; deadline: Deadline },
): Promise<Reply<Json> | Failure> {
  let received: Received;
  try {
    // A redirect could disclose the key to another server.
    const response = await fetch(url, {
      ...init,
      signal,
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
    });
    received = await receiver.read(response);
  } catch (cause) {
    if (signal.aborted) throw abortError(signal.reason);
    return {
      error: new LatchkeyError('network', `${new URL(url).origin} does not respond`, { cause }),
      isPassing: true,
    };
  }
  const { status, headers, text } = received;
  const json = parseJson(text);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (status < 200 || status >= 300)
    return {
      error: toHttpError(status, headers, json, requestId),
      isPassing: status === 429 || status === 503,
    };
  if (json === undefined) {
    const message = `${new URL(url).origin} sent a reply that is not JSON`;
    throw new HttpError('invalid_reply', message, { status, requestId });
  }
  return { json: json as Json, headers };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ErrorBody = components['schemas']['Error'];

function toHttpError(
  status: number,
  headers: Headers,
  json: unknown,
  requestId: string | undefined,
): HttpError {
  const { error, message, fix, request_id } = (json ?? {}) as Partial<ErrorBody>;
  return new HttpError(error ?? 'invalid_reply', message ?? `the relayer replied with status ${status}`, {
    status,
    fix,
    requestId: request_id ?? requestId,
    retryAfterSec: parseRetryAfter(headers),
  });
}

/** Parses Retry-After: seconds, or the time until a date. */
function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
