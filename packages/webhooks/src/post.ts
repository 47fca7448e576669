/** Sends messages, signed by Standard Webhooks (https://www.standardwebhooks.com), to public addresses. */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress, publicAddresses, publicLookup } from '@latchkey/http/public-address';
import { Webhook } from 'standardwebhooks';
import type { Message } from './tables.ts';

const TIMEOUT_MS = 10_000;
const DNS_TIMEOUT_MS = 3_000;
const MAX_HEAD_BYTES = 8_192;
const SECRET_BYTES = 32;

/** The receiver cannot be reached, or did not confirm the message. The text is for the owner. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  /** Status of the reply; undefined without one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export type Posted = { url: string; secret: string; id: string; message: Message };
/**
 * Resolves to the 2xx status with which the receiver confirms the message. Rejects with `WebhookError`, or when `signal` is aborted.
 */
export type Post = (posted: Posted, signal?: AbortSignal) => Promise<number>;

export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

const isAllowed = ({ hostname, port, protocol }: URL, allowedAddresses: readonly string[]): boolean =>
  allowedAddresses.includes(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`);

const refusal = (host: string) =>
  new WebhookError(`${host} is a private address, or belongs to this service: use another one`);

/** Returns the host of a URL when it is an address; undefined for a name. */
const literalOf = ({ hostname }: URL): string | undefined => {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) ? literal : undefined;
};

/** Returns why messages cannot be sent to the URL. Names are looked up only when a message is sent. */
export function findUrlFault(text: string, allowedAddresses: readonly string[]): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'expected a URL';
  if (url.username || url.password) return 'expected a URL without a user name and a password';
  const { protocol } = url;
  if (isAllowed(url, allowedAddresses))
    return /^https?:$/.test(protocol) ? undefined : 'expected an http URL';
  if (protocol !== 'https:') return 'expected an https URL';
  const literal = literalOf(url);
  return literal && !isPublicAddress(literal) ? refusal(url.hostname).message : undefined;
}

export type PostOptions = {
  /** `host:port` pairs, in the form of a URL, that can be private and without TLS. */
  allowedAddresses: readonly string[];
  /** Time from the lookup of the name to the head of the reply. */
  timeoutMs?: number;
  resolve?: Parameters<typeof publicLookup>[0];
};

export function createPost({
  allowedAddresses,
  timeoutMs = TIMEOUT_MS,
  resolve = resolveName,
}: PostOptions): Post {
  return async ({ url: text, secret, id, message }, signal) => {
    const fault = findUrlFault(text, allowedAddresses);
    if (fault !== undefined) throw new WebhookError(fault);
    const url = new URL(text);
    const isPublic = !isAllowed(url, allowedAddresses);
    const literal = literalOf(url);
    if (isPublic && literal) await publicAddresses([literal], () => refusal(literal));
    const body = JSON.stringify(message);
    const now = new Date();
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const options = {
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(isPublic && { lookup: publicLookup(resolve, refusal) }),
    };
    const status = await post(url, body, options).catch((error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted();
      if (timeout.aborted) throw new WebhookError(`no reply in ${timeoutMs} ms`);
      throw error instanceof WebhookError ? error : new WebhookError(error.code ?? error.message);
    });
    if (status < 200 || status > 299) throw new WebhookError(`the reply has the status ${status}`, status);
    return status;
  };
}

/** Resolves to the status of the reply. Follows no redirect, reads no body, and leaves no connection open. */
function post(url: URL, body: string, options: https.RequestOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { request } = url.protocol === 'https:' ? https : http;
  const sent = request(url, { ...options, method: 'POST', agent: false, maxHeaderSize: MAX_HEAD_BYTES });
  sent.on('response', (response) => {
    resolve(response.statusCode ?? 0);
    // The body reports the closed connection as an error.
    response.on('error', () => {});
    sent.destroy();
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

/** Resolves over DNS only: slow names must not block the threads of `dns.lookup`, which the service itself uses. */
export async function resolveName(name: string): Promise<{ address: string; family: 4 | 6 }[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const [v4, v6] = found.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const addresses = [
    ...(v4 ?? []).map((address) => ({ address, family: 4 as const })),
    ...(v6 ?? []).map((address) => ({ address, family: 6 as const })),
  ];
  if (addresses.length === 0) throw new WebhookError(`the name ${name} has no address`);
  return addresses;
}
