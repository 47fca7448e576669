/** The environment's `fetch`: the web's interface over a request made by the host. */
import type { FetchReply } from '../protocol.ts';
import { open, post } from './channel.ts';
import { named } from './errors.ts';
import { createResponseBody, type ResponseBody } from './response-body.ts';

/** Reads a class of the web that an action can replace, without loading it yet. */
const original = <Name extends 'Request' | 'Response'>(name: Name): (() => (typeof globalThis)[Name]) => {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  return get ?? (() => value);
};
const [getRequest, getResponse] = [original('Request'), original('Response')];

type Body = ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | null;
type Inner = { type: string; urlList: string[]; status: number; statusMessage: string };
/** Returns the object in which Deno keeps the state of a response. A clone of the response gets a copy. */
const innerOf = (response: Response): Inner => {
  const key = Object.getOwnPropertySymbols(response).find(({ description }) => description === 'response');
  return (response as unknown as Record<symbol, Inner>)[key as symbol] as Inner;
};

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
    return toResponse(...(await send(asked, body, error)));
  };

/** `error` becomes the failure of the fetch or of the body of its response. */
const send = (asked: Request, body: Uint8Array | undefined, error: TypeError): Promise<[FetchReply, Body]> =>
  new Promise((resolve, reject) => {
    let content: ResponseBody | undefined;
    const end = (): void => {
      exchange.close();
      asked.signal.removeEventListener('abort', onAbort);
    };
    const fail = (reason: unknown): void => {
      end();
      if (content) content.fail(reason);
      else reject(reason);
    };
    const abort = (): void => {
      end();
      post({ type: 'abort', id: exchange.id });
    };
    const onAbort = (): void => {
      abort();
      fail(asked.signal.reason);
    };
    const onPull = (chunks: number): void => {
      exchange.setOwed(true);
      if (chunks > 0) post({ type: 'pull', id: exchange.id, chunks });
    };
    const onReply = (reply: FetchReply, bytes: Uint8Array<ArrayBuffer>): void => {
      exchange.setOwed(false);
      if (reply.body === 'chunks') content = createResponseBody({ onPull, onCancel: abort });
      else end();
      resolve([reply, content?.stream ?? (reply.body === 'whole' ? bytes : null)]);
    };
    const message = {
      type: 'fetch' as const,
      url: asked.url,
      method: asked.method,
      headers: [...asked.headers],
      redirect: asked.redirect,
      hasBody: body !== undefined,
    };
    const exchange = open(message, body, (answer, bytes) => {
      if (answer.type === 'chunk') {
        exchange.setOwed(false);
        content?.add(bytes, answer.last);
        if (answer.last) end();
      } else if (answer.type === 'reply' && answer.ok) onReply(answer.value as FetchReply, bytes);
      else fail(named(answer.name, answer.message, error));
    });
    asked.signal.addEventListener('abort', onAbort);
  });

const toResponse = (reply: FetchReply, body: Body): Response => {
  const { url, redirected, status, statusText, headers } = reply;
  const response = new (getResponse())(body, { headers });
  const urlList = redirected ? ['', url] : [url];
  Object.assign(innerOf(response), { type: 'basic', urlList, status, statusMessage: statusText });
  return response;
};
