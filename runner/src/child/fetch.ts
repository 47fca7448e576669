import type { FetchReply } from '../protocol.ts';
import { request } from './channel.ts';
import { named } from './errors.ts';

const STATUS_WITHOUT_BODY = [204, 205, 304];
/** Reads a class of the web that an action can replace, without loading it yet. */
const original = <Name extends 'Request' | 'Response'>(name: Name): (() => (typeof globalThis)[Name]) => {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  return get ?? (() => value);
};
const [getRequest, getResponse] = [original('Request'), original('Response')];

/** The environment's `fetch`: the web's interface over a request made by the host. Bodies are not streamed. */
export const createFetch = (maxRequestBodyBytes: () => number): typeof fetch =>
  async function fetch(input, init) {
    const error = new TypeError(); // here, so that its stack names the call
    // There is no referring page; ethers sends the web's default, which Deno does not accept.
    const asked = new (getRequest())(input, init && { ...init, referrer: '' });
    const body = asked.body === null ? undefined : new Uint8Array(await asked.arrayBuffer());
    if (body && body.length > maxRequestBodyBytes()) {
      throw new TypeError(`fetch failed: the request body is larger than ${maxRequestBodyBytes()} bytes`);
    }
    asked.signal.throwIfAborted();
    const message = {
      type: 'fetch' as const,
      url: asked.url,
      method: asked.method,
      headers: [...asked.headers],
      redirect: asked.redirect,
      hasBody: body !== undefined,
    };
    const [reply, replyBody] = await request(message, body, asked.signal);
    if (!reply.ok) throw named(reply.name, reply.message, error);
    const { url, redirected, status, statusText, headers } = reply.value as FetchReply;
    const content = STATUS_WITHOUT_BODY.includes(status) ? null : (replyBody as Uint8Array<ArrayBuffer>);
    const response = new (getResponse())(content, { status, statusText, headers });
    return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  };
