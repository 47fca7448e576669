/**
 * JSON-RPC over HTTP, for viem. Its own transport makes a `Request`, web streams and an error object per call, which take a write of the
 * relayer a fifth of its processor time, and waits a millisecond for further calls of a batch.
 */
import { setImmediate } from 'node:timers/promises';
import { request as send } from 'undici';
import { type CustomTransport, custom, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

export type Options = {
  timeoutMs: number;
  retryCount: number;
  retryDelayMs: number;
  /** The calls of one turn of the event loop are one request. */
  isBatching?: true;
};
type Body = { jsonrpc: '2.0'; id: number; method: string; params?: unknown };
type RpcError = { code: number; message: string; data?: unknown };
type Reply = { id?: unknown; result?: unknown; error?: RpcError };
export type Call = { method: string; params?: unknown };
type Outcome = { result?: unknown; error?: Error | undefined };

export type JsonRpc = {
  transport: CustomTransport;
  /** Sends one call, without retries. */
  request: (call: Call) => Promise<unknown>;
  /**
   * Sends calls as one request, which the node executes in their order, or one after another when it takes no batches. Resolves to an error for
   * each call that failed. A call that was sent twice has the error of the first time: the node can have taken it before it refused it.
   */
  sendInOrder: (calls: Call[]) => Promise<(Error | undefined)[]>;
};

/** @param url - Its user and password are sent as `Authorization: Basic`. */
export function openJsonRpc(url: string, options: Options): JsonRpc {
  const { timeoutMs, retryCount, retryDelayMs, isBatching } = options;
  const { href, headers } = withoutCredentials(url);
  let lastId = 0;

  const post = async (body: Body | Body[]): Promise<Reply | Reply[]> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: timeout.signal };
      const response = await send(href, init);
      const text = await readText(response.body);
      const reply = parse(text);
      if (reply && (isOk(response.statusCode) || ('error' in reply && isRpcError(reply.error)))) return reply;
      const { statusCode: status } = response;
      const details = isOk(status) ? 'the response is not JSON-RPC' : `status ${status}`;
      throw new HttpRequestError({ body, details, status, url: href });
    } catch (thrown) {
      if (timeout.signal.aborted) throw new TimeoutError({ body, url: href });
      if (thrown instanceof HttpRequestError) throw thrown;
      throw new HttpRequestError({ body, cause: thrown as Error, url: href });
    } finally {
      clearTimeout(timer);
    }
  };

  const bodyOf = ({ method, params }: Call): Body => ({ jsonrpc: '2.0', id: ++lastId, method, params });
  const sendOne = async (call: Call): Promise<Outcome> => {
    const body = bodyOf(call);
    const { error, result } = (await post(body)) as Reply;
    return { result, error: error && new RpcRequestError({ body, error, url: href }) };
  };
  const sendAll = async (calls: Call[]): Promise<Outcome[]> => {
    const bodies = calls.map(bodyOf);
    const replies = await post(bodies);
    if (!Array.isArray(replies))
      throw new HttpRequestError({
        body: bodies,
        details: 'the response is not a batch',
        status: 200,
        url: href,
      });
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return bodies.map((body) => {
      const { error, result } = byId.get(body.id) ?? { error: { code: 0, message: 'no response' } };
      return { result, error: error && new RpcRequestError({ body, error, url: href }) };
    });
  };
  const sendOutcome = isBatching ? inTurns(sendOne, sendAll) : sendOne;
  const request = async (call: Call): Promise<unknown> => {
    const { error, result } = await sendOutcome(call);
    if (error) throw error;
    return result;
  };
  return {
    transport: custom({ request }, { retryCount, retryDelay: retryDelayMs }),
    request,
    sendInOrder: sendInOrder(sendOne, sendAll),
  };
}

type SendOne = (call: Call) => Promise<Outcome>;
type SendAll = (calls: Call[]) => Promise<Outcome[]>;

/** See `JsonRpc`. */
function sendInOrder(sendOne: SendOne, sendAll: SendAll): JsonRpc['sendInOrder'] {
  const errorOf = (call: Call): Promise<Error | undefined> =>
    sendOne(call).then(
      ({ error }) => error,
      (thrown: Error) => thrown,
    );
  return async (calls) => {
    const [first, ...others] = calls;
    if (first && others.length === 0) return [await errorOf(first)];
    try {
      return (await sendAll(calls)).map(({ error }) => error);
    } catch (thrown) {
      const lost = thrown as Error;
      if (!(lost instanceof HttpRequestError) || lost.status === undefined) return calls.map(() => lost);
      // Some nodes take no batches.
      const errors: (Error | undefined)[] = [];
      for (const call of calls) errors.push((await errorOf(call)) && lost);
      return errors;
    }
  };
}

/** Returns a function that sends the calls of one turn of the event loop together. */
function inTurns(sendOne: SendOne, sendAll: SendAll): SendOne {
  let calls: Call[] = [];
  let sent: Promise<Outcome[]> | undefined;
  const send = async (): Promise<Outcome[]> => {
    await setImmediate();
    const [first, ...others] = calls;
    const all = calls;
    calls = [];
    sent = undefined;
    return first && others.length === 0 ? [await sendOne(first)] : sendAll(all);
  };
  return async (call) => {
    const index = calls.push(call) - 1;
    sent ??= send();
    return (await sent)[index] as Outcome;
  };
}

const isOk = (status: number): boolean => status >= 200 && status < 300;
const isRpcError = (error: RpcError | undefined): boolean =>
  typeof error?.code === 'number' && typeof error.message === 'string';

/** Throws when the response is too large. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns undefined for text that is not a JSON object or array. */
function parse(text: string): Reply | Reply[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutCredentials(url: string): { href: string; headers: Record<string, string> } {
  const { username, password } = new URL(url);
  const headers = { 'Content-Type': 'application/json' };
  if (username === '' && password === '') return { href: url, headers };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const bare = Object.assign(new URL(url), { username: '', password: '' });
  return {
    href: bare.href,
    headers: { ...headers, Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}
