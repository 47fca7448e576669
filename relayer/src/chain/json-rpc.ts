/**
 * JSON-RPC over HTTP, for viem. Its own transport makes a `Request`, web streams and an error object per call, which take a write of the
 * relayer a fifth of its processor time.
 */
import { request } from 'undici';
import { type CustomTransport, custom, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

type Options = { timeoutMs: number; retryCount: number; retryDelayMs: number };
type Body = { jsonrpc: '2.0'; id: number; method: string; params?: unknown };
type RpcError = { code: number; message: string; data?: unknown };
type Reply = { result?: unknown; error?: RpcError };

/** @param url - Its user and password are sent as `Authorization: Basic`. */
export function jsonRpc(url: string, { timeoutMs, retryCount, retryDelayMs }: Options): CustomTransport {
  const { href, headers } = withoutCredentials(url);
  let lastId = 0;

  const post = async (body: Body): Promise<Reply> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await request(href, {
        ...{ method: 'POST', headers, body: JSON.stringify(body), signal: timeout.signal },
      });
      const text = await readText(response.body);
      const reply = parse(text);
      if (reply && (isOk(response.statusCode) || isRpcError(reply.error))) return reply;
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

  const call = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    lastId += 1;
    const body: Body = { jsonrpc: '2.0', id: lastId, method, params };
    const { error, result } = await post(body);
    if (error) throw new RpcRequestError({ body, error, url: href });
    return result;
  };
  return custom({ request: call }, { retryCount, retryDelay: retryDelayMs });
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

/** Returns undefined for text that is not a JSON object. */
function parse(text: string): Reply | undefined {
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
