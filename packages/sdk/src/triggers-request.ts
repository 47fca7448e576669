/** Requests to the trigger service. */
import type { BareTriggersClient } from './bare-triggers-client.ts';
import { createDeadline } from './deadline.ts';
import { buildUrl, randomIdempotencyKey, request } from './http.ts';
import type { Page } from './pages.ts';
import type { WriteOptions } from './write-definition.ts';

const TIMEOUT_MS = 60_000;

/** The JSON of a reply or a body. */
export type JsonOf<T> = T extends { content: { 'application/json': infer Json } } ? Json : never;

type Request = {
  query?: Record<string, string | number | undefined>;
  body?: object;
  options: WriteOptions | undefined;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Sends a request to a path below `/api/`. */
export const send = <Json>(
  client: BareTriggersClient,
  method: Method,
  path: string,
  request: Request,
): Promise<Json> => sendTo(client, method, `/api/${path}`, request);

/** Sends a request. All attempts of a POST have one Idempotency-Key; the other methods are idempotent. */
export async function sendTo<Json>(
  { url, internals }: BareTriggersClient,
  method: Method,
  path: string,
  { query = {}, body, options = {} }: Request,
): Promise<Json> {
  const { json } = await request<Json>(
    { internals },
    buildUrl(url, path, query),
    {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': options.idempotencyKey ?? randomIdempotencyKey() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    },
    { key: internals.token(), deadline: createDeadline(options, internals.timeoutMs ?? TIMEOUT_MS) },
  );
  return json;
}

/** Options of a list of triggers or their runs. */
export interface OffsetPageParameters {
  /** Items per page, 1 to 1,000. A page with more than 4 MiB of items ends earlier. */
  pageSize?: number | undefined;
  /** Number of newer items to skip. Default 0. */
  offset?: number | undefined;
}

export const triggerPath = (id: string) => `triggers/${encodeURIComponent(id)}`;
/** Returns a page. `offset`: of the next page, absent on the last one. */
export const toPage = <Item, Parameters extends OffsetPageParameters>(
  items: Item[],
  parameters: Parameters,
  offset: number | undefined,
): Page<Item, Parameters> => ({
  items,
  nextPage: offset === undefined ? undefined : { ...parameters, offset },
});
