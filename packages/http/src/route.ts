import type { Logger } from 'pino';
import type { z } from 'zod';
import { encodeReply } from './encode-reply.ts';
import type { ErrorCode } from './errors.ts';

/** The input of a handler in addition to its slice of the context, decoded and validated. */
export type Input<Caller, Body, Query, Params, Headers, ReplyHeader extends string, Status extends number> = {
  body: Body;
  query: Query;
  params: Params;
  /** The declared request headers by lower-case name. */
  headers: Headers;
  method: string;
  /** All request headers by lower-case name, with one value per occurrence. */
  allHeaders: NodeJS.Dict<string[]>;
  /** The query as it was sent, with its question mark; empty without a query. */
  rawQuery: string;
  caller: Caller;
  /** The client's address; behind proxies by `trustProxy` of `mount`. */
  ip: string;
  requestId: string;
  /** `X-Min-Block`: the reply must include at least this block. */
  minBlock: bigint | undefined;
  /** Set when the request carries `Idempotency-Key`; equal for all attempts of a request. */
  idempotencyId: string | undefined;
  /** Aborted when the client disconnects before the reply. */
  signal: AbortSignal;
  /**
   * Sends an event that the route declares in `events`, with the decoded form of its data. Undefined when the client does
   * not accept `text/event-stream`.
   */
  sendEvent: ((name: string, data: unknown) => void) | undefined;
  log: Logger;
  /** Tells `onEnd` of `mount` what the request cost, in micro-credits. */
  charge: (micros: bigint) => void;
  /** Sets a reply header that the route declares in `replyHeaders`. */
  setHeader: (name: ReplyHeader, value: string | number | bigint) => void;
  /** Replies with another status that the route declares in `statuses`. */
  setStatus: (status: Status) => void;
};

/** A reply that is sent as it is, with a 2xx status, instead of the encoded reply. */
export class TextReply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, contentType: string, text: string, headers: Record<string, string> = {}) {
    this.status = status;
    this.contentType = contentType;
    this.text = text;
    this.headers = headers;
  }
}

/** A reply in its wire form, validated once. It can be sent to any number of requests. */
export class EncodedReply {
  /** JSON, UTF-8. */
  readonly bytes: Buffer;
  /** Throws when the value does not match the schema of the route's reply. */
  constructor(schema: z.ZodType, value: unknown) {
    this.bytes = Buffer.from(encodeReply(schema, value));
  }
}

/** One endpoint. The same value declares it to Express, validation, OpenAPI and the clients' types. */
export type Route<
  Context,
  Caller,
  Auth extends string,
  Price extends string,
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Headers extends z.ZodType,
  Reply extends z.ZodType,
  ReplyHeader extends string,
  Status extends number,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The whole path; parameters are written `:name`. */
  path: string;
  tag: string;
  /** A few words: the heading in Swagger UI. */
  summary: string;
  description?: string;
  deprecated?: true;
  /** The name of an authenticator given to `mount`, or `none`. */
  auth: Auth;
  /** A name in the price table given to `openapiDocument`. */
  price?: Price;
  body?: Body;
  /** The body is not JSON: `body` is a schema of its bytes, a Buffer. */
  rawBody?: true;
  /** The handler gets a compressed body as it was sent, and decompresses it. Otherwise it is refused. */
  takesCompressed?: true;
  /** Maximum bytes of the body (default 16 KiB). Over 64 KiB they count in the budget of bytes in flight. */
  bodyLimitBytes?: number;
  query?: Query;
  params?: Params;
  /** An object schema whose names are lower-case header names. */
  headers?: Headers;
  /** Schema of the reply; the handler returns its decoded form. */
  reply: Reply;
  /** Columns of the CSV that `Accept: text/csv` returns; the reply must be an array of flat objects. */
  csv?: readonly string[];
  /**
   * Schemas of the events that the handler sends before its reply to a client that accepts `text/event-stream`. The last
   * event, `result`, is the reply: `{status, headers, body}`. An error before the first event is a plain reply.
   */
  events?: Record<string, z.ZodType>;
  /** Status of a success (default 200). */
  status?: number;
  /** Further statuses with the same reply, and their descriptions. */
  statuses?: Record<Status, string>;
  /** Description of the `TextReply` of the handler, if it returns one. */
  textReply?: string;
  /** A request body and its reply in wire form, for the API description. Every POST has one. */
  example?: { body?: z.input<Body>; reply: z.input<Reply> };
  /** Headers that the handler sets, and their descriptions. */
  replyHeaders?: Record<ReplyHeader, string>;
  /** Codes that the handler throws in addition to the codes of the pipeline; `gone` for 410. */
  errors?: readonly (ErrorCode | 'gone')[];
  /**
   * The reply holds a secret and the route has no authentication: `Idempotency-Key` must have the form of 16 random
   * bytes.
   */
  secretIdempotencyKey?: true;
  /** The handler waits for another service or for a run: it takes no turn, which it would hold meanwhile. */
  waits?: true;
  /** A GET without authentication that a service sends for its users: the pace per address would slow all of them. */
  unpaced?: true;
  /** False ignores `Idempotency-Key` on a POST, as other methods without a price do. */
  idempotent?: boolean;
  handle: (
    context: Context,
    input: Input<
      Caller,
      z.output<Body>,
      z.output<Query>,
      z.output<Params>,
      z.output<Headers>,
      ReplyHeader,
      Status
    >,
  ) => z.output<Reply> | TextReply | EncodedReply | Promise<z.output<Reply> | TextReply | EncodedReply>;
};

/** Any route, independent of its types, for lists of routes. */
export type AnyRoute = Omit<
  Route<never, never, string, string, z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType, string, number>,
  'handle'
> & { handle: (context: never, input: never) => unknown };

/**
 * Returns the `defineRoute` of a service. `Callers` maps the name of each authenticator to the type of its caller;
 * `Prices` are the names of its price table.
 */
export function routeDefiner<Callers extends Record<string, unknown>, Prices extends string = never>() {
  return <
    Context,
    const Auth extends (keyof Callers & string) | 'none',
    Reply extends z.ZodType,
    Body extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Params extends z.ZodType = z.ZodUndefined,
    Headers extends z.ZodType = z.ZodUndefined,
    ReplyHeader extends string = never,
    Status extends number = never,
  >(
    route: Route<
      Context,
      Auth extends keyof Callers ? Callers[Auth] : undefined,
      Auth,
      Prices,
      Body,
      Query,
      Params,
      Headers,
      Reply,
      ReplyHeader,
      Status
    >,
  ) => route;
}

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;

/** The context that satisfies the slices of all these routes. */
export type ContextOf<R extends AnyRoute> = Intersection<
  R extends { handle: (context: infer C, input: never) => unknown } ? C : never
>;

/** The caller type that the authenticator `Auth` returns for these routes. */
export type CallerOf<R extends AnyRoute, Auth extends string> = Intersection<
  R extends { auth: Auth; handle: (context: never, input: infer I) => unknown }
    ? I extends { caller: infer Caller }
      ? Caller
      : never
    : never
>;

/** The caller types of these routes; undefined for a route without authentication. */
export type AnyCaller<R extends AnyRoute> = R extends {
  handle: (context: never, input: infer I) => unknown;
}
  ? I extends { caller: infer Caller }
    ? Caller
    : never
  : never;
