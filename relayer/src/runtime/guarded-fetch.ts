/** The host's side of an action's `fetch`: the only way from an action to the network. */

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, fetch } from 'undici';
import { ActionError } from './errors.ts';
import type { FetchMessage, FetchReply } from './protocol.ts';
import { isPublicAddress } from './public-address.ts';

export type FetchOptions = {
  /** `host:port` pairs, exactly as a URL names them, that may resolve to any address. */
  allowedAddresses: string[];
  maxRequestBodyBytes: number;
  /** Bytes of a response body, decompressed. */
  maxResponseBodyBytes: number;
  /** From the request to the last byte of the response, redirects included. */
  timeoutMs: number;
  /** Name resolution; `dns.lookup` unless told. */
  lookup?: LookupFunction;
};

export const defaultFetchOptions: FetchOptions = {
  allowedAddresses: [],
  maxRequestBodyBytes: 1024 * 1024,
  maxResponseBodyBytes: 5 * 1024 * 1024,
  timeoutMs: 30_000,
};

/** The host alone says where a request goes, how it is framed and what a proxy is told. */
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
  new ActionError('TypeError', `fetch failed: ${host} is not a public address`);

/** `lookup` that fails unless every address of the name is public. */
const publicLookup =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const found = Array.isArray(addresses) ? addresses : [{ address: addresses, family: isIP(addresses) }];
      const first = found[0];
      if (!first || !found.every(({ address }) => isPublicAddress(address))) {
        return callback(refusal(hostname), '');
      }
      return options.all ? callback(null, found) : callback(null, first.address, first.family);
    });

/**
 * A dispatcher whose connections are checked when they are opened, on the very address they go to, so that
 * neither a redirect nor a name that changes its address gets past the check.
 */
export const createGuardedAgent = (options: FetchOptions): Agent => {
  const lookup = options.lookup ?? (systemLookup as LookupFunction);
  const allowed = new Set(options.allowedAddresses);
  const connectTo = { timeout: options.timeoutMs };
  const connectAnywhere = buildConnector({ ...connectTo, lookup });
  const connectPublic = buildConnector({ ...connectTo, lookup: publicLookup(lookup) });
  return new Agent({
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    connect: (target, callback) => {
      const port = target.port || (target.protocol === 'https:' ? '443' : '80');
      if (allowed.has(`${target.hostname}:${port}`)) return connectAnywhere(target, callback);
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) && !isPublicAddress(literal)) return callback(refusal(target.hostname), null);
      return connectPublic(target, callback);
    },
  });
};

/** Calls `onRequest` before each request that leaves, redirects included; what it throws ends the fetch. */
const counted = (agent: Agent, onRequest: () => void): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => {
    onRequest();
    return dispatch(options, handler);
  });

/** Makes one request of an action. Failures are `ActionError`s that say no more than the action may know. */
export const guardedFetch = async (
  agent: Agent,
  options: FetchOptions,
  message: FetchMessage,
  body: Uint8Array,
  signal: AbortSignal,
  onRequest: () => void,
): Promise<[FetchReply, Uint8Array]> => {
  const protocol = URL.parse(message.url)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new ActionError('TypeError', 'fetch failed: only http and https are possible');
  }
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    const response = await fetch(message.url, {
      method: message.method,
      headers: message.headers.filter(([name]) => !isHostHeader(name.toLowerCase())),
      redirect: message.redirect,
      body: message.hasBody ? body : null,
      signal: AbortSignal.any([signal, timeout]),
      dispatcher: counted(agent, onRequest),
    });
    const content = await readAtMost(response.body, options.maxResponseBodyBytes);
    const { url, status, statusText, redirected } = response;
    return [{ url, status, statusText, redirected, headers: [...response.headers] }, content];
  } catch (error) {
    if (timeout.aborted)
      throw new ActionError('TypeError', `fetch failed: no answer in ${options.timeoutMs} ms`);
    throw toActionError(error);
  }
};

const readAtMost = async (body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new ActionError('TypeError', `fetch failed: the response is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** undici wraps what went wrong as the `cause` of a TypeError. */
const toActionError = (error: unknown): ActionError => {
  let reason = '';
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ActionError) return at;
    reason = 'code' in at && typeof at.code === 'string' ? at.code : at.message;
  }
  return new ActionError('TypeError', `fetch failed: ${reason}`);
};
