/** The connections of the fetches of a run, each to an address that actions may reach. */
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { publicAddresses, publicLookup } from '@latchkey/http/public-address';
import { ActionError } from '@latchkey/runner-protocol';
import { Agent, buildConnector } from 'undici';
import type { NameAddress, RunNames } from './action-names.ts';

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

/** Counts what the fetches of a run use. */
export type FetchMeter = {
  /** Called before each outgoing request, including redirects, with its host. Its error ends the fetch. */
  onRequest: (host: string) => void;
  /** Called with the bytes of each part that was sent, received or decompressed. */
  onBytes: (bytes: number) => void;
};

export const refusal = (host: string) =>
  new ActionError(
    'FetchBlockedError',
    `${host} is a private address, or belongs to this service: the operator can allow it (host:port) in ACTION_ALLOWED_ADDRESSES`,
  );

/** Returns the address that the host of a URL is; undefined for a name. */
export const literalOf = (hostname: string): string | undefined => {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) ? literal : undefined;
};

/** Returns the form of ACTION_ALLOWED_ADDRESSES. The agent gives IPv6 addresses without the brackets of a URL. */
export const hostAndPort = ({
  hostname,
  port,
  protocol,
}: Pick<URL, 'hostname' | 'port' | 'protocol'>): string =>
  `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** Bytes allowed for the head, chunk framing and interim responses, in addition to the body. */
const MAX_OVERHEAD_BYTES = 1024 * 1024;
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
  /** The latest answer per name. */
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
      // The name is resolved first: a refused one costs no socket and no TLS.
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

/** Shared by all connections: creating one takes as long as the rest of opening a connection. */
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
