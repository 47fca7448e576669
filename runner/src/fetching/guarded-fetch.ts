/** The host's side of an action's `fetch`: the only way from an action to the network. */

import type { IncomingHttpHeaders } from 'node:http';
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import { isPublicAddress } from '@latchkey/http/public-address';
import { ActionError } from '@latchkey/runner-protocol';
import { type Agent, type Dispatcher, fetch } from 'undici';
import { MAX_FETCH_TIMEOUT_MS } from '../runs/message-limits.ts';
import type { FetchMessage } from '../runs/protocol.ts';
import type { FetchHead, RequestBody } from './fetch-requests.ts';
import { type FetchMeter, type FetchOptions, hostAndPort, literalOf, refusal } from './guarded-agent.ts';

/** Headers that only the host sets: they decide where a request goes, its framing, and what a proxy sees. */
const HOST_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const isHostHeader = (name: string): boolean => HOST_HEADERS.has(name) || name.startsWith('proxy-');

/** Responses with a 1xx status before the final one. */
const MAX_INTERIM_RESPONSES = 10;

type Watcher = Pick<FetchMeter, 'onRequest'> & {
  /** Called with each response, including redirects. Its error ends the fetch. */
  onResponse: (status: number, headers: IncomingHttpHeaders) => void;
};

/** Limits the number of interim responses. */
const watched = (agent: Agent, { onRequest, onResponse }: Watcher): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => {
    onRequest(new URL(options.origin ?? '').host);
    let interimResponses = 0;
    const countInterim = (): void => {
      interimResponses += 1;
      if (interimResponses <= MAX_INTERIM_RESPONSES) return;
      const message = `fetch failed: the server sent more than ${MAX_INTERIM_RESPONSES} interim responses`;
      throw new ActionError('TypeError', message);
    };
    return dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart(controller, status, headers, ...rest) {
        try {
          if (status >= 200) onResponse(status, headers);
          else countInterim();
          handler.onResponseStart?.(controller, status, headers, ...rest);
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  });

/**
 * Makes one request of an action. Resolves with the head of the response and its body, which is read from the server as
 * the caller reads it. Rejects with `ActionError`s that contain only what the action is allowed to know, and so does
 * the body. `signal` ends both.
 */
export const guardedFetch = async (
  agent: Agent,
  options: FetchOptions,
  message: FetchMessage,
  body: RequestBody,
  signal: AbortSignal,
  { onRequest, onBytes }: FetchMeter,
): Promise<[FetchHead, AsyncGenerator<Uint8Array>?]> => {
  const url = URL.parse(message.url);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ActionError('TypeError', 'fetch failed: use an http or https URL');
  }
  // The connection would be refused as well, but only after undici has made a client for it.
  const literal = literalOf(url.hostname);
  const isRefused =
    literal && !isPublicAddress(literal) && !options.allowedAddresses.includes(hostAndPort(url));
  if (isRefused && url.username + url.password === '') {
    onRequest(url.host);
    throw refusal(literal);
  }
  const stop = createStop(signal, message.timeoutMs ?? options.timeoutMs);
  const isStream = body !== null && Symbol.asyncIterator in body;
  const watcher = watched(agent, {
    onRequest,
    onResponse(status, headers) {
      const isRepeated = REPEATING.has(status) && headers.location && message.redirect === 'follow';
      if (isStream && isRepeated) throw new ActionError('TypeError', REPEATED_STREAM);
      if (codingsOf(headers).length > 1) throw new ActionError('TypeError', SEVERAL_CODINGS);
    },
  });
  try {
    stop.expect('no response');
    const response = await fetch(message.url, {
      method: message.method,
      headers: message.headers.filter(([name]) => !isHostHeader(name.toLowerCase())),
      redirect: message.redirect,
      body: isStream ? sentAtMost(body, options.maxRequestBodyBytes, stop) : body,
      duplex: 'half',
      signal: stop.signal,
      dispatcher: watcher,
    });
    stop.rest();
    const { url, status, statusText, redirected } = response;
    const head = { url, status, statusText, redirected, headers: [...response.headers] };
    if (!response.body || message.method === 'HEAD') return [head];
    const reader = response.body.getReader();
    // undici can lose the signal of a request whose head has come.
    stop.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    const onDecoded = response.headers.has('content-encoding') ? onBytes : () => {};
    return [head, readAtMost(reader, options.maxResponseBodyBytes, stop, onDecoded)];
  } catch (error) {
    stop.rest();
    throw toActionError(error);
  }
};

const REPEATED_STREAM =
  'fetch failed: a redirect repeats the request, and its body is a stream: send text or bytes';

/** The output of all but the last decoder would have no limit. */
const SEVERAL_CODINGS = 'fetch failed: the response is compressed more than once';
const codingsOf = (headers: IncomingHttpHeaders): string[] =>
  String(headers['content-encoding'] ?? '').match(/\b(?:x-)?gzip\b|\bdeflate\b|\bbr\b|\bzstd\b/gi) ?? [];

/** Statuses of redirects that can keep the body of the request. */
const REPEATING = new Set([301, 302, 307, 308]);

type Stop = {
  /** Aborts with the fetch, and at its timeout. */
  signal: AbortSignal;
  /** Starts the timeout, after which the fetch fails with the text `<nothing> in <timeout> ms`. */
  expect: (nothing: string) => void;
  /** Starts the timeout again, if it runs. */
  progress: () => void;
  /** Ends the timeout. */
  rest: () => void;
};

function createStop(signal: AbortSignal, timeoutMs: number): Stop {
  const stop = new AbortController();
  if (signal.aborted) stop.abort(signal.reason);
  else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: stop.signal,
    expect(nothing) {
      timer = setTimeout(() => {
        const fix = `allow more time with fetch(url, { timeoutMs: ${Math.min(4 * timeoutMs, MAX_FETCH_TIMEOUT_MS)} })`;
        stop.abort(new ActionError('TypeError', `fetch failed: ${nothing} in ${timeoutMs} ms: ${fix}`));
      }, timeoutMs);
    },
    progress: () => timer?.refresh(),
    rest() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

async function* sentAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { progress }: Stop,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    progress();
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ActionError('TypeError', `fetch failed: the request body is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function* readAtMost(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  { signal, expect, rest }: Stop,
  onBytes: FetchMeter['onBytes'],
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for (;;) {
      expect('no further data of the response');
      const { value } = await reader.read();
      rest();
      signal.throwIfAborted();
      if (!value) return;
      onBytes(value.length);
      bytes += value.length;
      if (bytes > maxBytes)
        throw new ActionError('TypeError', `fetch failed: the response is larger than ${maxBytes} bytes`);
      yield value;
    }
  } catch (error) {
    throw toActionError(error);
  } finally {
    rest();
    await reader.cancel().catch(() => {});
  }
}

/** undici wraps the error as the `cause` of a TypeError. */
const toActionError = (error: unknown): ActionError => {
  let reason = '';
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ActionError) return at;
    reason = 'code' in at && typeof at.code === 'string' ? at.code : at.message;
  }
  return new ActionError('TypeError', `fetch failed: ${reason}`);
};
