/** The environment's `fetch`: the web's interface over a request made by the host. */
import { MAX_FETCH_HEADERS, MAX_FETCH_TIMEOUT_MS } from '../runs/message-limits.ts';
import type { FetchMessage, FetchReply } from '../runs/protocol.ts';
import { open, post } from './channel.ts';
import { named } from './errors.ts';
import './forms.ts';
import { hasIntegrity } from './integrity.ts';
import { createRequestBody, type RequestBody } from './request-body.ts';
import { createResponseBody, createWholeBody, type ResponseBody } from './response-body.ts';

const { URL } = globalThis;
/** Reads a class of the web that an action can replace, without loading it yet. */
const original = <Name extends 'Request' | 'Response'>(name: Name): (() => (typeof globalThis)[Name]) => {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  return get ?? (() => value);
};
const [getRequest, getResponse] = [original('Request'), original('Response')];

const OPTIONS =
  'body cache credentials duplex headers integrity keepalive method mode priority redirect referrerPolicy signal window';
/**
 * Reads the options by name, as the web does: the options of a `Request` are getters of its class. There is no referring page;
 * ethers sends the web's default, which Deno does not accept.
 */
const optionsOf = (init: Record<string, unknown>): RequestInit => ({
  ...Object.fromEntries(OPTIONS.split(' ').map((name) => [name, init[name]])),
  referrer: '',
});

let refusal: Error | undefined;
/** Returns the error of the last fetch when it was refused. */
export const lastRefusal = (): Error | undefined => refusal;
const failureOf = ({ name, message }: { name: string; message: string }, error: TypeError): Error => {
  const failure = named(name, message, error);
  refusal = name === 'FetchBlockedError' ? failure : undefined;
  return failure;
};

export const createFetch = (maxRequestBodyBytes: () => number): typeof fetch =>
  async function fetch(input, init) {
    const error = new TypeError(); // before any await, so that its stack names the call
    const RequestClass = getRequest();
    if (!(input instanceof RequestClass) && !URL.canParse(String(input)))
      throw named(
        'TypeError',
        `fetch failed: "${input}" is not an absolute URL: use an http or https URL`,
        error,
      );
    const options = init && optionsOf(init as Record<string, unknown>);
    const timeoutMs = timeoutOf(init as { timeoutMs?: unknown } | undefined);
    const asked = new RequestClass(input, options);
    if ([...asked.headers].length > MAX_FETCH_HEADERS)
      throw new TypeError(`fetch failed: the request has more than ${MAX_FETCH_HEADERS} headers`);
    const body = await bodyOf(asked, options?.body);
    if (body.whole && body.whole.length > maxRequestBodyBytes())
      throw new TypeError(`fetch failed: the request body is larger than ${maxRequestBodyBytes()} bytes`);
    if (asked.signal.aborted) {
      body.upload?.cancel(asked.signal.reason);
      throw asked.signal.reason;
    }
    const [reply, content] = await send(asked, { ...body, timeoutMs }, error);
    const response = toResponse(reply, content);
    if (!asked.integrity) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (await hasIntegrity(bytes, asked.integrity)) return toResponse(reply, content && bytes);
    throw named('TypeError', 'fetch failed: the response does not have the hash in integrity', error);
  };

/** Bytes, or a stream that the action passed as the body. */
type Body = { whole?: Uint8Array; upload?: RequestBody; timeoutMs?: number | undefined };

/** @param given Body of the options. That of a `Request` is read before it is sent: it does not show whether it is a stream. */
const bodyOf = async (asked: Request, given: unknown): Promise<Body> => {
  if (!asked.body) return {};
  return typeof given === 'object' && given !== null && Symbol.asyncIterator in given
    ? { upload: createRequestBody(asked.body) }
    : { whole: new Uint8Array(await asked.arrayBuffer()) };
};

const timeoutOf = (init?: { timeoutMs?: unknown }): number | undefined => {
  const timeoutMs = init?.timeoutMs;
  if (timeoutMs === undefined) return undefined;
  if (Number.isInteger(timeoutMs) && Number(timeoutMs) > 0 && Number(timeoutMs) <= MAX_FETCH_TIMEOUT_MS)
    return Number(timeoutMs);
  throw new TypeError(`fetch failed: timeoutMs is not an integer of 1 to ${MAX_FETCH_TIMEOUT_MS}`);
};

const messageOf = (
  { url, method, headers, redirect }: Request,
  { whole, upload, timeoutMs }: Body,
): Omit<FetchMessage, 'id'> => {
  const body = upload ? 'chunks' : whole ? 'whole' : 'none';
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  return { type: 'fetch', url, method, headers: [...headers], redirect, body, ...timeout };
};

type ResponseContent = ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | null;

/** `error` becomes the failure of the fetch or of the body of its response. */
const send = (asked: Request, body: Body, error: TypeError): Promise<[FetchReply, ResponseContent]> =>
  new Promise((resolve, reject) => {
    const { whole, upload } = body;
    let content: ResponseBody | undefined;
    let hasEnded = false;
    const end = (reason?: unknown): void => {
      hasEnded = true;
      exchange.close();
      asked.signal.removeEventListener('abort', onAbort);
      upload?.cancel(reason);
    };
    const fail = (reason: unknown): void => {
      end(reason);
      if (content) content.fail(reason);
      else reject(reason);
    };
    const abort = (reason?: unknown): void => {
      end(reason);
      post({ type: 'abort', id: exchange.id });
    };
    const giveUp = (reason: unknown): void => {
      if (hasEnded) return;
      abort(reason);
      fail(reason);
    };
    const onAbort = (): void => giveUp(asked.signal.reason);
    const onCancel = (): void => abort();
    const onPull = (chunks: number): void => {
      exchange.setOwed(true);
      if (chunks > 0) post({ type: 'pull', id: exchange.id, chunks });
    };
    const onReply = (reply: FetchReply, bytes: Uint8Array<ArrayBuffer>): void => {
      exchange.setOwed(false);
      refusal = undefined;
      if (reply.body === 'chunks') content = createResponseBody({ onPull, onCancel });
      else if (reply.body === 'whole') {
        exchange.close();
        upload?.cancel(undefined);
        content = createWholeBody(bytes, { onEnd: end, onCancel });
      } else end();
      resolve([reply, content?.stream ?? null]);
    };
    const sendChunk = async (maxBytes: number): Promise<void> => {
      const chunk = await upload?.next(maxBytes);
      if (!hasEnded) post({ type: 'chunk', id: exchange.id }, chunk);
    };
    const exchange = open(messageOf(asked, body), whole, (answer, bytes) => {
      if (answer.type === 'chunk') {
        exchange.setOwed(false);
        if (bytes.length === 0) end();
        content?.add(bytes); // transfers the buffer
      } else if (answer.type === 'pull') void sendChunk(answer.maxBytes).catch(giveUp);
      else if (answer.type === 'reply' && answer.ok) onReply(answer.value as FetchReply, bytes);
      else fail(failureOf(answer, error));
    });
    asked.signal.addEventListener('abort', onAbort);
  });

const toResponse = (reply: FetchReply, body: ResponseContent): Response => {
  const { url, redirected, status, statusText, headers } = reply;
  const [withoutHash = url] = url.split('#');
  const shown = {
    type: 'basic',
    url: withoutHash,
    redirected,
    status,
    statusText,
    ok: status >= 200 && status < 300,
  };
  return showing(new (getResponse())(body, { headers }), shown);
};

/** Gives a response, and its clones, properties that its constructor does not take. */
const showing = (response: Response, shown: Record<string, unknown>): Response => {
  const clone = response.clone.bind(response);
  const properties = { ...shown, clone: () => showing(clone(), shown) };
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(response, name, { value, configurable: true });
  return response;
};
