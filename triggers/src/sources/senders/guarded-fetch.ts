/** Fetches certificates and keys of senders. */
import { serviceUnavailable } from '@latchkey/http';
import { publicLookup } from '@latchkey/http/public-address';
import { resolveName } from '@latchkey/webhooks/post';
import { Agent, fetch as fetchWith } from 'undici';

const MAX_BYTES = 64 * 1024;
export const FETCH_TIMEOUT_MS = 5_000;

export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** Fetches over TLS from public addresses only. A redirect is an error. */
export function createGuardedFetch(resolve: typeof resolveName = resolveName): Fetch {
  const lookup = publicLookup(resolve, (name) => new Error(`${name} is a private address`));
  const dispatcher = new Agent({
    connect: { timeout: FETCH_TIMEOUT_MS, lookup },
    maxResponseSize: MAX_BYTES,
  });
  return async (url, { method = 'GET', body = null, signal = null }) =>
    (await fetchWith(url, {
      method,
      body: body as string | null,
      headers: body === null ? {} : { 'content-type': 'application/json' },
      signal,
      redirect: 'error',
      dispatcher,
    })) as unknown as Response;
}

export const guardedFetch = createGuardedFetch();

/** Resolves to the text of a reply, undefined when the sender refuses. Rejects with 503 when it does not answer. */
export async function fetchText(
  fetch: Fetch,
  url: string,
  { failure, body }: { failure: string; body?: string },
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const request = body === undefined ? { signal } : { signal, method: 'POST', body };
  return fetch(url, request)
    .then((response) => {
      if (response.status === 429 || response.status >= 500) throw new Error(`status ${response.status}`);
      return response.ok ? response.text() : undefined;
    })
    .catch((cause: unknown) => {
      throw serviceUnavailable(failure, { cause });
    });
}
