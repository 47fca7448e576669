/** The host's side of an action's `fetch`: the only way from an action to the network. */

import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import { createSecureContext } from 'node:tls';
import { isPublicAddress, publicAddresses, publicLookup } from '@latchkey/http/public-address';
import { ActionError } from '@latchkey/runner-protocol';
import { Agent, buildConnector, type Dispatcher, fetch } from 'undici';
import type { FetchMessage } from '../runs/protocol.ts';
import type { NameAddress, RunNames } from './action-names.ts';
import type { FetchHead, RequestBody } from './fetch-requests.ts';

export type FetchOptions = {
  /** `host:port` pairs, in the form of a URL, that can resolve to any address. */
  allowedAddresses: string[];
  /** Public addresses and networks that are refused, in addition to the addresses of this machine. */
  forbiddenAddresses: BlockList;
  maxRequestBodyBytes: number;
  /** Maximum bytes of a response body, decompressed. */
  maxResponseBodyBytes: number;
  /**
   * Time without data of the request or the response; redirects count as one request. It does not count while data of
   * the response waits for the action.
   */
  timeoutMs: number;
  /** DNS servers for the names that actions fetch, as `address` or `address:port`. Default: the system's. */
  dnsServers?: string[] | undefined;
};

export const defaultFetchOptions: FetchOptions = {
  allowedAddresses: [],
  forbiddenAddresses: new BlockList(),
  maxRequestBodyBytes: 1024 * 1024,
  maxResponseBodyBytes: 5 * 1024 * 1024,
  timeoutMs: 30_000,
};

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

const refusal = (host: string) =>
  new ActionError(
    'FetchBlockedError',
    `${host} is a private address, or belongs to this service: the operator can allow it (host:port) in ACTION_ALLOWED_ADDRESSES`,
  );

/** Returns the address that a host of a URL is; undefined for a name. */
const literalOf = (hostname: string): string | undefined => {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) ? literal : undefined;
};

/** Returns the form of ACTION_ALLOWED_ADDRESSES. The agent gives IPv6 addresses without the brackets of a URL. */
const hostAndPort = ({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): string =>
  `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** Bytes allowed for the head, chunk framing and interim responses, in addition to the body. */
const MAX_OVERHEAD_BYTES = 1024 * 1024;
/** Responses with a 1xx status before the final one. */
const MAX_INTERIM_RESPONSES = 10;

/** Counts what the fetches of a run use. */
export type FetchMeter = {
  /** Called before each outgoing request, including redirects, with its host. Its error ends the fetch. */
  onRequest: (host: string) => void;
  /** Called with the bytes of each part that was sent, received or decompressed. */
  onBytes: (bytes: number) => void;
};

/**
 * The dispatcher of one run. Accounts share no connections. Each connection is checked when it is opened, on the
 * address it connects to, so that neither a redirect nor DNS rebinding bypasses the check.
 */
export const createGuardedAgent = (
  options: FetchOptions,
  names: RunNames,
  onBytes: FetchMeter['onBytes'],
): Agent => {
  const allowed = new Set(options.allowedAddresses);
  // HTTP/2 would mix the bytes of several responses on one connection.
  const connectTo = { timeout: options.timeoutMs, allowH2: false, secureContext };
  const connectAnywhere = buildConnector(connectTo);
  /** The latest answers. A connection is made with that of its name. */
  const addresses = new Map<string, NameAddress[]>();
  const { forbiddenAddresses } = options;
  const lookup = publicLookup(async (name) => addresses.get(name) ?? [], refusal, forbiddenAddresses);
  const connectPublic = buildConnector({ ...connectTo, lookup });
  return new Agent({
    allowH2: false,
    // `guardedFetch` has its own timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const bounded: typeof callback = (...result) => {
        // Prepended, because undici's listener starts to read.
        callback(...result);
        if (!result[1]) return;
        boundResponses(result[1], options.maxResponseBodyBytes + MAX_OVERHEAD_BYTES);
        countBytes(result[1], onBytes);
      };
      if (allowed.has(hostAndPort(target))) return connectAnywhere(target, bounded);
      const literal = literalOf(target.hostname);
      if (literal !== undefined) {
        publicAddresses([literal], () => refusal(literal), forbiddenAddresses).then(
          () => connectPublic(target, bounded),
          (error) => callback(error, null),
        );
        return;
      }
      // Before there is a socket, most of whose cost is that of TLS.
      names
        .resolve(target.hostname)
        .then((found) => {
          addresses.set(target.hostname, found);
          connectPublic(target, bounded);
        })
        .catch((error) => callback(error, null));
    },
  });
};

/** That of every connection. Creating one takes as long as the rest of the socket. */
const secureContext = createSecureContext();

/**
 * Closes the connection when a response on it exceeds `maxBytes` in total: the limit of bodies does not count chunk
 * extensions or interim responses. A request written after the last bytes arrived begins another response.
 */
const boundResponses = (socket: Socket, maxBytes: number): void => {
  let bytesWritten = 0;
  let bytesRead = 0;
  let startedAt = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== bytesWritten) startedAt = bytesRead;
    ({ bytesWritten, bytesRead } = socket);
    if (bytesRead - startedAt <= maxBytes) return;
    const message = `fetch failed: the response has more than ${maxBytes} bytes with its framing`;
    socket.destroy(new ActionError('TypeError', message));
  });
};

const countBytes = (socket: Socket, onBytes: FetchMeter['onBytes']): void => {
  let counted = 0;
  const count = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    onBytes(bytes - counted);
    counted = bytes;
  };
  for (const event of ['readable', 'drain', 'close']) socket.on(event, count);
};

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
  const stop = createStop(signal, options.timeoutMs);
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
        stop.abort(new ActionError('TypeError', `fetch failed: ${nothing} in ${timeoutMs} ms`));
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
